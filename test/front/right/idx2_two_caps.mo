model M
 parameter Real C1=1,C2=3; Real v1(start=2,fixed=true), v2, i1, i2; equation v1=v2;
   C1*der(v1)=i1; C2*der(v2)=i2; i1+i2=-v1; end M;
// v1(0.37) = 1.8232984219289234
// v1 = 1.5576015661428098
