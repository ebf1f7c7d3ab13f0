model M "feedforward by inverting the plant"
 Real r=sin(time), x, u; equation x=r; der(x)=-2*x+u; end M;
// u(0.37) = 1.6555582095359584
// u = 2.2232442754839328
