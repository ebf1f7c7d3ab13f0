model M
  parameter Boolean steadyState=true; Real y(start=0,fixed=not steadyState);
    Real der_y(start=0,fixed=steadyState)=der(y); parameter Real a=-2,b=1; Real u=3;
    equation der(y)=a*y+b*u;
end M;
// y = 1.5
