model M
  parameter Real x = 12.345678; parameter Integer i = -42; parameter Boolean b = true;
    type E = enumeration(one, two "second"); parameter E e = E.two;
  Integer r[10] = {if String(x, significantDigits=3) == "12.3" then 1 else 0, if String(i) ==
    "-42" then 1 else 0, if String(b) == "true" then 1 else 0, if String(e) == "two" then 1
    else 0,
    if String(i, minimumLength=6) == "-42   " then 1 else 0, if String(i, minimumLength=6,
      leftJustified=false) == "   -42" then 1 else 0, if String(x, format=".2f") == "12.35"
      then 1 else 0,
    if "a" + "b" == "ab" then 1 else 0, if "a" < "b" then 1 else 0, if String(0.1) == "0.1"
      then 1 else 0};
end M;
// r[1] = 1.0
// r[2] = 1.0
// r[3] = 1.0
// r[4] = 1.0
// r[5] = 1.0
// r[6] = 1.0
// r[7] = 1.0
// r[8] = 1.0
// r[9] = 1.0
// r[10] = 1.0
