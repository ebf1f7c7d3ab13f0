package P
  type E = enumeration(a, b, c);
  record R Real x; Real y; end R;
  function h
    input Real x;
    input Real y = 2*x;
    output Real z;
    output R r;
  algorithm
    assert(x < 5, "x is " + String(x), AssertionLevel.warning);
    z := 0;
    for i in 1:3 loop
      if i*x > 4 then
        break;
      end if;
      assert(y > -i, "y of " + String(i));
      z := z + x^i*y;
    end for;
    if x < -1 then
      r := R(x, y);
      return;
    end if;
    r := R(y, z);
  end h;
  function g input Real x; output Real y; algorithm y := if x < 1 then x^2 else 3*x; end g;
  function gx = der(g, x);
  function gxx = der(gx, x) "twice";
  function k = gx(x = 3);
  function s input Real x; output Real y; external "builtin" y = sin(x); end s;
  function sx = der(s, x);
  model Part
    outer model T = Base;
    outer function f = g;
    T t;
    Real y = f(time);
  end Part;
  model Base Real y = 1; end Base;
  model Other extends Base(y = 2*time); end Other;
  model M
    inner model T = Other;
    inner function f = gx;
    Part part[2];
    Integer i = if time > 1 then 3 else 1;
    E e = E(i);
    parameter E p = E(2);
    parameter Real q = gxx(0.5) + k();
    Real a, u[2] = gx({time, 2}), v = if time > 1 then h(time) else sx(time);
    R r;
  initial equation
    assert(time < 1, "at the start");
  equation
    (a, r) = h(time, 3);
  algorithm
    assert(v < 100, if v > 0 then "v" else "w" + String(2*v));
  end M;
end P;
