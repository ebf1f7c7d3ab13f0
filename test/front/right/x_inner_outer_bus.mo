model M
 model World inner parameter Real g=9.81; end World; model Env parameter Real g=5; Real n=2;
   end Env; inner Env env(g=7); model U outer Env env; Real y=env.g*env.n; end U;
   model V U u[2]; end V; V v;
end M;
// v.u[2].y = 14.0
