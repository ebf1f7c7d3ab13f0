model M
  Real a = 2**3;
  Boolean b = a > 1 && a < 3;
  Boolean c = a > 1 || a != 3;
  Boolean d = !c;
  Real e[3]; # comment
equation
  for i = 1:3 loop
    e[i] = i;
  end for;
  p, q = f(a);
  if a > 1 then
    x = 1;
  else if a > 2 then
    x = 2;
  end if;
end M;
// error 2: expected an expression, found '*'
// advice a power is written x^2
// error 3: this is no operator of Modelica
// advice both conditions: a and b
// error 4: this is no operator of Modelica
// advice one of two conditions: a or b
// error 5: this is no operator of Modelica
// advice the contrary: not a
// error 6: this character has no meaning in Modelica
// advice a comment begins with //
// error 8: expected 'in' after the index, found '='
// error 11: expected '=' in the equation, found ','
// advice several results of a function: (a, b) = f(x)
// error 17: expected 'end if' to close the 'if' of line 12
// advice 'else if' begins another 'if', with an end of its own: write 'elseif'
