model A
  outer parameter Real g;
  Dialectic.Translational.Body body(g = g);
end A;
model M
  A a;
end M;
// error 2: outer 'g' has no inner 'g' around it
// advice declare "inner Real g;"
