package P
  partial package Medium constant Real cp; constant String name;
    replaceable partial function h input Real T; output Real h; end h; record S Real T; end S;
    end Medium;
  package Water extends Medium(cp=4.2, name="water");
    redeclare function extends h algorithm h := cp*T; end h; end Water;
  package Oil extends Medium(cp=2, name="oil");
    redeclare function extends h algorithm h := cp*T + 1; end h; end Oil;
  model Tank replaceable package Medium = Water constrainedby P.Medium; Medium.S s(T=10);
    Real h = Medium.h(s.T); end Tank;
  model M Tank a; Tank b(redeclare package Medium = Oil); end M;
end P;
// class P.M
// a.h = 42.0
// b.h = 21.0
