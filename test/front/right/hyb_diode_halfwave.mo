model M
 Real v=sin(2*pi*time); constant Real pi=3.141592653589793; Real s, i, u; Boolean off;
   parameter Real R=2; equation off=s<0; u=if off then s else 0; i=if off then 0 else s;
   v=u+R*i; end M;
// i(0.37) = 0.3644843137107057
// i = 0.0
