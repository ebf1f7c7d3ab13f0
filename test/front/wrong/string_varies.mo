model M
  String s;
  Real x = time;
end M;
// error 2: 's' is a String that may change
