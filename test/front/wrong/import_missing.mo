package P
  package Q constant Real c = 1; end Q;
  model M import P.Q.d; import P.R.*; Real x = d*time; end M;
end P;
// error 3: import: there is no 'd' in 'Q'
// class P.M
