model M
  Dialectic.Planar.Body 'a body';
end M;
// error 2: components cannot be named 'a body' yet
