model M
  Real velocity, x;
equation
  der(x) = velocty;
  velocity = sin(tme);
end M;
// error 4: there is no 'velocty' here
// error 5: there is no 'tme' here
