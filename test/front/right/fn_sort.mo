model M
  function sort input Real v[:]; output Real s[size(v,1)]=v; protected Real t;
    algorithm for i in 1:size(v,1) loop for j in 1:size(v,1)-i loop if s[j] > s[j+1] then t :=
    s[j]; s[j] := s[j+1]; s[j+1] := t; end if; end for; end for; end sort;
    Real a[4]=sort({3,1,2,time}); parameter Real p[3]=sort({9,7,8});
end M;
// a[1](0.37) = 0.37
// a[1] = 1.0
// a[4] = 3.0
