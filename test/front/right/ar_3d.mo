model M
  Real T[2,3,4];
    equation for i in 1:2 loop T[i,:,:] = {{100*i+10*j+k for k in 1:4} for j in 1:3}; end for;
end M;
// T[2,3,4] = 234.0
// T[1,2,3] = 123.0
