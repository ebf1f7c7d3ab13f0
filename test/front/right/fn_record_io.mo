model M
  record C Real re; Real im; end C; function mul input C a; input C b; output C c;
    algorithm c.re := a.re*b.re-a.im*b.im; c.im := a.re*b.im+a.im*b.re; end mul;
    function conj input C a; output C c=C(a.re,-a.im); algorithm end conj;
    C z=mul(C(1,2),C(3,time)); C w=conj(z); C n=mul(z,w);
end M;
// z.re(0.37) = 2.26
// z.re = 1.0
// w.im(0.37) = -6.37
// w.im = -7.0
// n.re(0.37) = 45.6845
// n.re = 50.0
