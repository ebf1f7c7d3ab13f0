model M
  Real x=3*time; Real y1,y2,y3; equation when x>2 then y3=2*x+y1+y2; y1=sin(x); end when;
    y2=sin(y1);
end M;
// y3 = 5.69836977039857
