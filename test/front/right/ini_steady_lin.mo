model M
 Real T1, T2; parameter Real P=10; initial equation der(T1)=0; der(T2)=0;
   equation 2*der(T1)=P-3*(T1-T2); der(T2)=3*(T1-T2)-T2; end M;
// T2(0.37) = 10.0
// T2 = 10.0
// T1(0.37) = 13.333333333333334
// T1 = 13.333333333333334
