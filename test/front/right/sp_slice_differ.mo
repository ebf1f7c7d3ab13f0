model M
  block B parameter Integer n=2; Real x1[n]={i for i in 1:n}; end B; constant Integer m=3;
    B tf[m](n=2:(m+1)); Real y[m]; Real y3; equation y=tf.x1[1]; y3=sum(tf.x1[1:2]);
end M;
// y[3] = 1.0
// y3 = 9.0
