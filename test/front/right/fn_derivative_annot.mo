model M
  function f input Real x; output Real y; algorithm y := x^3;
    annotation(derivative=df, Inline=false); end f; function df input Real x; input Real dx;
    output Real dy; algorithm dy := 3*x^2*dx; annotation(derivative(order=2)=ddf); end df;
    function ddf input Real x; input Real dx; input Real ddx; output Real dd;
    algorithm dd := 6*x*dx^2+3*x^2*ddx; end ddf; Real u=1+time^2; Real y=f(u); Real v=der(y);
    Real a=der(v);
end M;
// v(0.37) = 2.8694423742
// v = 24.0
// a(0.37) = 11.4906483
// a = 72.0
