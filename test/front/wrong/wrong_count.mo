model M
  Dialectic.Translational.Body body[3](m = {1, 2});
end M;
// error 2: 2 values for 'm' where 'body' is an array of 3
