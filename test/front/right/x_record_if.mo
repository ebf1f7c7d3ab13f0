model M
 record P Real x; Integer n; end P; P a=if time>0.5 then P(1,2) else P(3,4);
end M;
// a.x = 1.0
// a.n = 2.0
