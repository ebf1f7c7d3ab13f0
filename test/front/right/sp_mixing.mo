model M
  model Mixing1 replaceable type E=enumeration(:); input Real c1[E], c2[E], mdot1, mdot2;
    output Real c3[E], mdot3; equation 0=mdot1+mdot2+mdot3;
    for e in E loop 0=mdot1*c1[e]+mdot2*c2[e]+mdot3*c3[e]; end for; end Mixing1;
    type Sub=enumeration(water,salt);
    Mixing1 m(redeclare type E=Sub,c1={1,2},c2={3,4},mdot1=1,mdot2=1);
end M;
// m.c3[2] = 3.0
// m.mdot3 = -2.0
