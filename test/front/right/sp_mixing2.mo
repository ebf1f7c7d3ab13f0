model M
  model Mixing2 replaceable type E=enumeration(:); input Real c1[E], c2[E], mdot1, mdot2;
    output Real c3[E], mdot3; protected Real cc1[:]=c1, cc2[:]=c2, cc3[:]=c3;
    final parameter Integer n=size(cc1,1); equation 0=mdot1+mdot2+mdot3;
    zeros(n)=mdot1*cc1+mdot2*cc2+mdot3*cc3; end Mixing2; type Sub=enumeration(water,salt);
    Mixing2 m(redeclare type E=Sub,c1={1,2},c2={3,4},mdot1=1,mdot2=1);
end M;
// m.c3[2] = 3.0
// m.mdot3 = -2.0
