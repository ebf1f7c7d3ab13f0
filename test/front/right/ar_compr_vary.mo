model M
  parameter Integer n=5; Real x[n](start={i for i in 1:n}, each fixed=true);
    Real s = sum(x[i]*i for i in 1:n); Real mx = max(x);
    equation der(x) = {-i*x[i] for i in 1:n};
end M;
// x[3](0.37) = 0.9886768832255673
// x[3] = 0.14936120510359183
// s(0.37) = 13.138352814379889
// s = 1.818803086625552
// mx(0.37) = 0.9886768832255673
// mx = 0.36787944117144233
