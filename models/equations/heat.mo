model Heat "a rod that is warm at one end, by lines"
  parameter Integer n = 50 "inner points";
  parameter Real L(unit = "m") = 1, a(unit = "m2/s") = 0.01;
  final parameter Real dx(unit = "m") = L/(n + 1);
  Real T[n](each unit = "K");
  Real mean(unit = "K") = sum(T)/n;
equation
  der(T[1]) = a*(T[2] - 2*T[1] + 1)/dx^2;
  for i in 2:n-1 loop
    der(T[i]) = a*(T[i+1] - 2*T[i] + T[i-1])/dx^2;
  end for;
  der(T[n]) = a*(T[n-1] - 2*T[n])/dx^2;
  annotation(experiment(StopTime = 10));
end Heat;
