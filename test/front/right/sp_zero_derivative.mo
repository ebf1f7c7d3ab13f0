model M
  function f input Real x; input Real y[:,2]; input Real offset; output Real z;
    algorithm z:=x^2*y[1,1]+offset;
    annotation(derivative(zeroDerivative=y,zeroDerivative=offset)=fDer,derivative=fGen,
    Inline=false); end f; function fDer input Real x; input Real y[:,2]; input Real offset;
    input Real x_der; output Real z_der; algorithm z_der:=2*x*x_der*y[1,1];
    annotation(derivative(zeroDerivative=y,zeroDerivative=offset,order=2)=fDer2); end fDer;
    function fDer2 input Real x; input Real y[:,2]; input Real offset; input Real x_der;
    input Real x_der2; output Real z; algorithm z:=2*x_der^2*y[1,1]+2*x*x_der2*y[1,1];
    end fDer2; function fGen input Real x; input Real y[:,2]; input Real offset;
    input Real x_der; input Real y_der[:,2]; input Real offset_der; output Real z_der;
    algorithm z_der:=2*x*x_der*y[1,1]+x^2*y_der[1,1]+offset_der; end fGen;
    Real a=der(f(time,[3,4],5)); Real b=der(a); Real c=der(f(time,[time,1],sin(time)));
end M;
// a(0.37) = 2.2199999999999998
// a = 6.0
// b = 6.0
// c(0.37) = 1.3430273456060344
// c = 3.5403023058681398
