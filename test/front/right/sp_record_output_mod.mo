model M
  record Complex Real re; Real im; end Complex; function add input Complex u,v;
    output Complex w(re=u.re+v.re,im=u.im+v.im); algorithm end add; Complex c1,c2;
    equation c2=add(c1,Complex(sin(time),cos(time))); c1=Complex(1,2);
end M;
// c2.re(0.37) = 1.361615431964962
// c2.re = 1.8414709848078965
