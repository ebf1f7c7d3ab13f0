package P
  function length input Real s; output Integer n;
    external "C" n = ModelicaStrings_length(s); end length;
  function other input Real u; output Real y;
    external "C" y = my_function(u); end other;
  model M
    Real x = length(time);
    Real y = other(time);
  end M;
end P;
// error 7: ModelicaStrings_length: a text is needed
// error 8: function 'other' is external ("my_function"), and there is no built-in function of this name
// class P.M
