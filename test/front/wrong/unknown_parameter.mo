model M
  Dialectic.Translational.Body body(mm = 2);
end M;
// error 2: 'Body' has no element 'mm' that could be modified
// advice did you mean 'm'?
