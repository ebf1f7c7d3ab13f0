package P
 partial package Iface replaceable model Base Real y; end Base; constant Integer n=1; end Iface;
   package Impl extends Iface(n=3); redeclare model extends Base equation y=n*time; end Base;
   end Impl; model M Impl.Base b; end M;
end P;
// class P.M
// b.y(0.37) = 1.1099999999999999
// b.y = 3.0
