model M
  partial model Src output Real y; end Src; model Sin extends Src; equation y = sin(time);
    end Sin; model Ramp extends Src; parameter Real k=1; equation y = k*time; end Ramp;
  model Sys replaceable Sin s constrainedby Src; Real x(start=0,fixed=true);
    equation der(x) = s.y; end Sys; Sys a; Sys b(redeclare Ramp s(k=3));
    model Sys2 extends Sys(redeclare Ramp s(k=5)); end Sys2; Sys2 c; Sys2 d(s(k=7));
end M;
// a.x(0.37) = 0.06767265439396553
// a.x = 0.45969769413186023
// b.x(0.37) = 0.20534999999999998
// b.x = 1.5
// c.x(0.37) = 0.34225
// c.x = 2.5
// d.x(0.37) = 0.47914999999999996
// d.x = 3.5
