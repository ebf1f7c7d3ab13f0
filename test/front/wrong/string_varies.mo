model M
  String s;
  String t = "pump" + String(3);
  String u = if time > 1 then "on" else "off";
  Real x = time;
equation
  s = "a";
  assert(x < 3, s);
  assert(t == "pump3", "t");
end M;
// warning 2: 's' is a String that equations decide
// error 4: variables decide which text this is
// advice use an enumeration
