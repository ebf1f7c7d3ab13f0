model M
  function T_h input Real h; output Real T=h/2+1; algorithm annotation(inverse(h=h_T(T)));
    end T_h; function h_T input Real T; output Real h=2*(T-1); algorithm end h_T; Real h;
    equation 3+time=T_h(h);
end M;
// h(0.37) = 4.74
// h = 6.0
