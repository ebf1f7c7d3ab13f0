model M
  parameter String s = "a\tb\nc\"d\\e\'f\?g\a\b\f\v";
  Real n = Modelica_length(s);
  function Modelica_length input String s; output Real n;
    algorithm n := if s == "a\tb\nc\"d\\e'f?g\a\b\f\v" then 1 else 0; end Modelica_length;
end M;
// n = 1.0
