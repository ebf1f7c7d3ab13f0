model M
  constant Real c[4]={1,-1,0.5,0.25}; function horner input Real x; output Real y;
    algorithm y := 0; for i in size(c,1):-1:1 loop y := y*x + c[i]; end for; end horner;
    Real x(start=0,fixed=true); equation der(x)=horner(time);
end M;
// x = 0.7291666666666666
