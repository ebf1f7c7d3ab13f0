model M
  partial function Field input Real x; output Real y; end Field;
  function lin extends Field; input Real k = 3; algorithm y := k*x; end lin;
  model P outer function field = Field; Real v(start=1,fixed=true); equation der(v) = -field(v);
    end P;
  inner function field = lin; P p;
end M;
// p.v(0.37) = 0.3295589610751891
// p.v = 0.049787068367863944
