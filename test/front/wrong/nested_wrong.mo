package P
  model Inner parameter Real k; Real x; equation x = k*time*q; end Inner;
  model Middle Inner i[2](k = {1, 2, 3}); end Middle;
  model M Middle m; end M;
end P;
// error 3: 3 values for 'k' where 'i' is an array of 2
// error 2: there is no 'q' here
// class P.M
