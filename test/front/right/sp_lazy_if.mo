model M
  parameter Integer n=3; parameter Boolean v[n]={true,false,true}; Integer I=integer(5*time);
    Boolean b=if I>=1 and I<=n then v[I] else false; Real h(start=1,fixed=true);
    equation der(h)=if noEvent(h>0) then -sqrt(h) else 0;
end M;
// b = 0.0
