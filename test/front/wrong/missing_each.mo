model M
  Dialectic.Translational.Body body[3](m = 2);
end M;
// error 2: one value for 'm' where 'body' is an array of 3
// advice write "each m = ..."
