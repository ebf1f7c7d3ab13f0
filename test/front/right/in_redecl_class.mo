model M
  partial function Law input Real v; output Real f; end Law; function Lin extends Law;
    input Real d=1; algorithm f := d*v; end Lin; function Quad extends Law;
    algorithm f := v*abs(v); end Quad;
  model Car replaceable function law = Lin constrainedby Law; Real v(start=1,fixed=true);
    equation der(v) = -law(v); end Car; Car a; Car b(redeclare function law = Quad);
    Car c(redeclare function law = Lin(d=2));
end M;
// a.v(0.37) = 0.6907343306373547
// a.v = 0.36787944117144233
// b.v(0.37) = 0.7299270072992701
// b.v = 0.5
// c.v(0.37) = 0.4771139155210344
// c.v = 0.1353352832366127
