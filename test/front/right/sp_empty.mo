model M
  Real[1,0] a=fill(0.0,1,0); Real[0] a1a=a[1]; Real[0] a1b=a[1,:]; Real[0] a1c=a[1,1:end];
    Real[3,0] A=zeros(3,0),B=A+A; parameter Integer m=2,n=3;
    Real P[m,0]=zeros(m,0),Q[0,n]=zeros(0,n); Real C[m,n]=P*Q; Real E[:,:]=fill(0.0,0,1);
    parameter Integer p=0; Real u[p]=zeros(p); Real x[2](each start=1,each fixed=true);
    parameter Real Am[2,2]=-identity(2),Bm[2,p]=zeros(2,p),Cm[1,2]=[1,1],Dm[1,p]=zeros(1,p);
    Real y[1]; equation der(x)=Am*x+Bm*u; y=Cm*x+Dm*u;
end M;
// C[2,3] = 0.0
// y[1](0.37) = 1.3814686612747094
// y[1] = 0.7357588823428847
