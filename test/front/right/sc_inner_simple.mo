model M
  inner Real T = 300 + time; model R outer Real T; Real y = 2*T; end R; model Box R r; end Box;
    Box b; R q[2];
  model Own inner Real T = 5; R r; end Own; Own o;
end M;
// b.r.y(0.37) = 600.74
// b.r.y = 602.0
// q[2].y(0.37) = 600.74
// q[2].y = 602.0
// o.r.y = 10.0
