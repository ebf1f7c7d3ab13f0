package P
  model World parameter Real g = 9.81; end World;
  model Body outer World world; Real x = world.h*time; end Body;
  model M inner World world; Body b; end M;
end P;
// error 3: 'World' has no element 'h'
// class P.M
