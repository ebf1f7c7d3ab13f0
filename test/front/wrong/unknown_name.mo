model M
  parameter Real mass = 2;
  Dialectic.Translational.Body body(m = mas);
end M;
// error 3: there is no 'mas' here
// advice did you mean 'mass'?
