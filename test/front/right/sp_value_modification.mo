model M
  record R Real u; Real v; end R; Real x=sin(time); Real y(unit="kg")=x; R r(u=y);
    equation r.v+x*x=0;
end M;
// r.v(0.37) = -0.13076572063520606
// r.v = -0.7080734182735712
