model M
  function findValue input Integer x[:]; input Integer val; output Integer index;
    algorithm index:=size(x,1); while index>=1 loop if x[index]==val then break;
    else index:=index-1; end if; end while; end findValue; function fv2 input Integer x[:];
    input Integer val; output Integer index;
    algorithm for i in 1:size(x,1) loop if x[i]==val then index:=i; return; end if; end for;
    index:=0; return; end fv2; Integer a=findValue({3,1,4,1,5},1), b=findValue({3,1},7);
    Integer k=integer(5*time);
    Integer c=findValue({0,1,2,3,4,5},k), d=fv2({5,4,3,2,1},k), f=fv2({3,1,4,1,5},1);
end M;
// a = 4.0
// b = 0.0
// c = 6.0
// d = 1.0
// f = 2.0
