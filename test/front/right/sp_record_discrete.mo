model Test
  record R Real x; Boolean b; end R; R r1; equation r1=R(time,true);
end Test;
// r1.x(0.37) = 0.37
// r1.x = 1.0
// r1.b = 1.0
