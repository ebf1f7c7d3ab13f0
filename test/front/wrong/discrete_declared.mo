model M
  discrete Real x(start = 0);
  discrete Real y;
  discrete Real z(start = 1);
equation
  der(x) = 1;
  y = 2*time;
  when time > 0.5 then
    z = 3;
  end when;
end M;
// error 2: 'x' is discrete, since its declaration says so, and has no derivative
// warning 2: 'x' is declared discrete, but no when-clause assigns it
// warning 3: 'y' is declared discrete, but no when-clause assigns it
