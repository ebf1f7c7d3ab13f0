package P
  function h
    input Real x;
    input Integer n = 2;
    input Real a[2] = {1, 2};
    output Real z;
  algorithm
    z := x^n*a[1];
  end h;
  function is_big
    input Real x;
    output Boolean z;
  algorithm
    z := x > 1;
  end is_big;
  model A
    Real x = time;
  end A;
  function by_nothing = der(h, q);
  function by_integer = der(h, n);
  function by_array = der(h, a);
  function of_boolean = der(is_big, x);
  function of_model = der(A, x);
  function derivative = der(h, x);
  function more
    extends derivative;
  end more;
  model M
    Real a = by_nothing(time), b = by_integer(time), c = by_array(time);
    Boolean d = of_boolean(time) > 0;
    Real e = of_model(time), f = more(time);
  end M;
end P;
// error 19: function 'h' has no input 'q' to be differentiated by
// error 20: 'n' of function 'h' is no Real number
// error 21: 'a' of function 'h' is no Real number
// error 22: output 'z' of function 'is_big' is no Real and has no derivative
// error 23: 'A' is no function
// error 26: a partial derivative has nothing to inherit
// error 31: function 'more' has 0 input(s), but 1 are given
// class P.M
