model M
  model Base replaceable model X parameter Real k=1; Real y = k; end X; X x; end Base;
    model D extends Base; redeclare model extends X(k=4) Real z = 2*y; end X; end D; D d;
end M;
// d.x.y = 4.0
// d.x.z = 8.0
