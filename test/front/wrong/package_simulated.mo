package M
  constant Real g = 1;
end M;
// class M
// error 1: 'M' is a package and cannot be simulated
