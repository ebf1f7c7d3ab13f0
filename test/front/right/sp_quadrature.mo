package P
  partial function Integrand input Real u; output Real y; end Integrand;
    function quadrature input Real x1; input Real x2; input Integrand integrand;
    output Real integral; algorithm integral:=(x2-x1)*(integrand(x1)+integrand(x2))/2;
    end quadrature; function Parabola extends Integrand; algorithm y:=u*u; end Parabola;
    function quadrature2 input Real x1; input Real x2; input Integrand integrand;
    output Real integral;
    algorithm integral:=quadrature(x1,(x1+x2)/2,integrand)+quadrature((x1+x2)/2,x2,integrand);
    end quadrature2;
  function Sine extends Integrand; input Real A; input Real w; algorithm y:=A*sin(w*u);
    end Sine; function Sine2 input Real A; input Real w; input Real x; output Real y;
    algorithm y:=A*sin(w*x); end Sine2;
  model Test parameter Integer N=3; Real area; Real a2=quadrature2(0,1,Parabola);
    Real a3=quadrature(0,1,integrand=function Sine2(A=2,w=3)); Real a4=quadrature(0,1,Parabola);
    algorithm area:=0; for i in 1:N loop area:=area+quadrature(0,1,function Sine(A=2,w=i*time));
    end for; end Test;
end P;
// class P.Test
// area(0.37) = 1.9316020292731548
// area = 1.8918884196934453
// a2 = 0.375
// a3 = 0.1411200080598672
// a4 = 0.5
