model M
  model Integrator input Real u; output Real y=x; Real x(start=0,fixed=true); equation der(x)=u;
    end Integrator; model Integrators=Integrator[3]; Integrators i(u={1,2,3});
end M;
// i[2].x(0.37) = 0.74
// i[2].x = 2.0
