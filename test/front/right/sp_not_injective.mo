model NotInjective
  function square input Real x; output Real y=x^2; algorithm annotation(inverse(x=sqrt(y)));
    end square; parameter Real y0=1.0; Real y(start=y0,fixed=true); Real x(start=1);
    equation der(y)=-y; square(x)=abs(y);
end NotInjective;
// x(0.37) = 0.8311042838521256
// x = 0.6065306597126334
