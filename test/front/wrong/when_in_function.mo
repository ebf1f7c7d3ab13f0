function f
  input Real u;
  output Real y;
algorithm
  y := 0;
  when u > 1 then
    y := 1;
  end when;
end f;
model M
  Real x(start = 1);
equation
  der(x) = f(x);
end M;
// error 6: this statement is not allowed in a function
