model M
 function c input Integer n; output Integer k; protected Integer m=n; algorithm k := 0;
   while m <> 1 loop m := if mod(m,2)==0 then div(m,2) else 3*m+1; k := k+1; end while; end c;
 Integer n=27+integer(time*1.5); Integer k=c(n);
end M;
// k = 18.0
