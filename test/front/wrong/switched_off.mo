model M
  parameter Boolean use = false;
  Dialectic.Planar.Body body if use;
  parameter Real m = body.m;
end M;
// error 4: 'body' is switched off by its condition and has no value
