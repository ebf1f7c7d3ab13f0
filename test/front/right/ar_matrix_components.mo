model M
  model C parameter Real k=1; Real y=k*time; end C; C c[2,3](k={{1,2,3},{4,5,6}});
    Real r[2]={sum(c[i,:].y) for i in 1:2}; Real col=sum(c[:,2].y); Real all_=sum(c.y);
    Real k23 = c[2,3].k;
end M;
// r[2](0.37) = 5.55
// r[2] = 15.0
// col(0.37) = 2.59
// col = 7.0
// all_(0.37) = 7.77
// all_ = 21.0
// k23 = 6.0
