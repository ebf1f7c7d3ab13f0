model M
  function find input Real v[:]; input Real x; output Integer i; algorithm i := 0;
    for k in 1:size(v,1) loop if v[k] > x then i := k; return; end if; end for; i := -1;
    end find; function firstEven input Integer n; output Integer k=n;
    algorithm while true loop if mod(k,2)==0 then break; end if; k := k+1; end while;
    end firstEven; Integer a=find({1,2,3,4},2.5), b=find({1},5), c=firstEven(7);
    Integer d=find({0.2,0.4,0.6,0.8,2},time);
end M;
// a = 3.0
// b = -1.0
// c = 8.0
// d = 5.0
