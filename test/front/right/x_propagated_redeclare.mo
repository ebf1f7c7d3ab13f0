model M
 partial model L parameter Real d=1; Real f; input Real v; end L; model Lin extends L;
   equation f=d*v; end Lin; model Sq extends L; equation f=d*v*abs(v); end Sq;
   model Inner replaceable model Law=Lin constrainedby L; Law l(v=3); end Inner;
   model Outer replaceable model Law=Lin constrainedby L; Inner i(redeclare model Law=Law(d=2));
   end Outer; Outer a; Outer b(redeclare model Law=Sq);
end M;
// a.i.l.f = 6.0
// b.i.l.f = 18.0
