model M
  function Gibbs input Real p,T; output Real g; algorithm g:=p*T^2+log(T); end Gibbs;
    function Gibbs_T=der(Gibbs,T); function h input Real p,T; output Real h;
    algorithm h:=Gibbs(p,T)-T*Gibbs_T(p,T); end h; Real y=h(2,1+time); Real d=der(y);
end M;
// y(0.37) = -4.438989260159968
// y = -8.306852819440055
// d(0.37) = -4.75007299270073
// d = -7.5
