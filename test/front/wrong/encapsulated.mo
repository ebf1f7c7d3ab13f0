package P
  constant Real g = 9;
  encapsulated model M
    parameter Real x = g;
  end M;
end P;
// error 4: there is no 'g' here
