model M
  model Tank parameter Real k=1; Real h(start=1,fixed=true); input Real q; output Real o=k*h;
    equation der(h)=q-o; end Tank; parameter Integer n=3; Tank t[n](each k=2);
    equation t[1].q=0; t[2:n].q=t[1:n-1].o;
end M;
// t[1].h(0.37) = 0.4771139155210344
// t[1].h = 0.1353352832366127
// t[2].h(0.37) = 0.8301782130065998
// t[2].h = 0.4060058497098381
// t[3].h(0.37) = 0.9608120030762589
// t[3].h = 0.6766764161830635
