model A
  Dialectic.Translational.Body body(final m = 2);
end A;
model M
  A a(body(m = 3));
end M;
// error 5: 'm' has been given a final value further inside (line 2)
