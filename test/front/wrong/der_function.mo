function h
  input Real x, y;
  output Real z;
algorithm
  z := x^2*y;
end h;
function hx = der(h, x);
model M
  Real a = hx(2.0, time);
end M;
// error 7: a class defined by der(...) is not supported yet
// advice write the derivative as a function
