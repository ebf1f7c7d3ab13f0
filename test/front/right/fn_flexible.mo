model M
  function filt input Real v[:]; output Real r[:]; protected Integer n=0;
    algorithm for x in v loop if x > 0 then n := n+1; end if; end for; r := zeros(n); n := 0;
    for x in v loop if x > 0 then n := n+1; r[n] := x; end if; end for; end filt;
    parameter Real p[:]=filt({1,-2,3,-4}); Real s=sum(p); Integer k=size(p,1);
end M;
// s = 4.0
// k = 2.0
