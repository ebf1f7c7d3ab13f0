model M
  import Dialectic.Plannar.Body;
  Body body;
end M;
// error 2: import: there is no 'Plannar' in 'Dialectic'
// advice did you mean 'Planar'?
