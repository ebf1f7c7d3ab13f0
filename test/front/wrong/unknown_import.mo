model M
  import Dialectic.Plannar.Body;
  Body body;
end M;
// error 2: import: there is no 'Plannar' in 'Dialectic'
// error 3: there is no class 'Body'
// advice did you mean 'Dialectic.Translational.Body'?
