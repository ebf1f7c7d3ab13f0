model Q "arrivals each 1, service 1.5: queue by Integer counters"
 Integer n(start=0,fixed=true), served(start=0,fixed=true);
   discrete Real tdone(start=1e10,fixed=true); Boolean arr=sample(0.5,1), don=time>=pre(tdone);
algorithm
 when {arr, don} then
  if arr and edge(arr) then n:=n+1; end if;
  if edge(don) then n:=n-1; served:=served+1; tdone:=if n>0 then time+1.5 else 1e10; end if;
  if n==1 and edge(arr) then tdone:=time+1.5; end if;
 end when;
end Q;
// stop 10.2
// served = 6.0
// n = 4.0
