model M
  parameter Boolean steadyState=true; parameter Real y0=0; parameter Real a=-2,b=1; Real u=3;
    Real y; equation der(y)=a*y+b*u; initial equation if steadyState then der(y)=0; else y=y0;
    end if;
end M;
// y = 1.5
