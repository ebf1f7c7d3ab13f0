model M
  parameter Integer n=4; Real x[n]; equation for i in 1:n loop if i == 1 then x[i] = 1;
    elseif i == n then x[i] = x[i-1]; else x[i] = x[i-1]*2; end if; end for;
end M;
// x[4] = 4.0
