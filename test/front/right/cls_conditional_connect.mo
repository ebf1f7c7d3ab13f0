model M
  connector O = output Real; connector I = input Real;
  block Src O y = 3; end Src; block G I u; O y = 2*u; end G;
  block Sel parameter Boolean ext=true; I u if ext; O y; protected I v; equation connect(u, v);
    if not ext then v = 7; end if; y = v; end Sel;
  Src s; G g; Sel a(ext=true); Sel b(ext=false);
equation connect(s.y, g.u); connect(g.y, a.u);
end M;
// a.y = 6.0
// b.y = 7.0
