model ArrayVariants
  type T = Real[:]; parameter T x=ones(4); parameter T y[3]=ones(3,4);
    parameter Real a[2]=ones(2); parameter Real b[2,0]=ones(2,0); parameter Real c[:]=ones(0);
    parameter Integer n=0; Real z[n*2]=cat(1,ones(n),zeros(n));
    Boolean notV[Boolean]={true,false}; Real s=sum(x)+sum(y)+sum(c); Boolean q=notV[false];
end ArrayVariants;
// s = 16.0
// q = 1.0
