model M
  constant Integer j=4; Real x[j]; Real xs[:]={x[i]*x[i] for i}; Real xs2[size(x,1)];
    Real xs3[size(x,1)]; Real m[4,3]; equation for j in 1:j loop x[j]=j; end for;
    for i loop xs2[i]=x[i]^2; end for; algorithm for i loop xs3[i]:=x[i]^2; end for;
    m:=zeros(4,3); for j,i in 1:2 loop m[j,i]:=j+i; end for;
end M;
// xs[4] = 16.0
// xs2[3] = 9.0
// xs3[4] = 16.0
// m[4,2] = 6.0
// m[4,3] = 0.0
