package P
  record R
    Real a = 1;
  end R;
  connector C
    Real a;
    flow Real b;
  end C;
  model Part
    Real y(start = 0);
  equation
    der(y) = 1;
  end Part;
  model M "beside equations"
    Part part = 3;
    Part parts[2] = {3, 4};
    R r = 3;
    C c = 3;
    Real z;
  equation
    der(z) = part.y + r.a;
    c.a = z;
  end M;
end P;
// error 15: 'part' is a component and cannot be given a value
// error 16: 'parts' is a component and cannot be given a value
// error 17: this is no 'R' and gives its fields no values
// error 18: this is no 'C' and gives its fields no values
