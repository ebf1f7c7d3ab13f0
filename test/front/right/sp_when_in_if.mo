model M
  parameter Boolean b=true; parameter Integer n=3; Real x[n](each start=0,each fixed=true);
    equation if b then for i in 1:n loop when sample(i,i) then x[i]=time; end when; end for;
    end if;
end M;
// stop 5.5
// x[1] = 5.0
// x[2] = 4.0
// x[3] = 3.0
