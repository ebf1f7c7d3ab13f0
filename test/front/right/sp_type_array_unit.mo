model M
  type Force=Real[3](unit={"N","N","N"}); Force f1={1,2,3}; Real f2[3](unit={"N","N","N"})=f1;
    Real s=f2[3];
end M;
// s = 3.0
