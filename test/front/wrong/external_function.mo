model M
  function f
    input Real x;
    output Real y;
    external "C" y = f(x);
  end f;
  parameter Real a = f(1);
end M;
// error 7: function 'f' is external ("f"), and there is no built-in function of this name
