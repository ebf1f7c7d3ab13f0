model M
  function name input Integer i; output String s; algorithm s := "m" + String(i);
    if i > 9 then s := s + "!"; end if; end name; parameter String s=name(12);
    Real y=if s=="m12!" then 1 else 0; function cnt input String v[:];
    output Integer n=size(v,1); algorithm end cnt; Integer n=cnt({"a","b"});
end M;
// y = 1.0
// n = 2.0
