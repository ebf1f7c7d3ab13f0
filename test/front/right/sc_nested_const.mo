model M
  parameter Integer n = 2; package P constant Integer k = 3; package Q constant Integer j = k+1;
    end Q; end P; Real x[n, P.Q.j] = fill(2, n, P.Q.j); Real s = sum(x);
end M;
// s = 16.0
