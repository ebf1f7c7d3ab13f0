model M
  model Base parameter Real k=2; Real y; end Base; model L extends Base; end L;
    model Rr extends Base; end Rr; model D extends L; extends Rr; equation y = k*time; end D;
    D d(k=3);
end M;
// d.y(0.37) = 1.1099999999999999
// d.y = 3.0
