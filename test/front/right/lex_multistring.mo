model M
  parameter String s = "line one
line two" + "!";
  Real y = if s == "line one\nline two!" then 1 else 2;
end M;
// y = 1.0
