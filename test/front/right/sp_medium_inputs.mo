package P
  connector InputReal = input Real;
  partial model BaseProperties constant Integer nXi; InputReal p; InputReal h;
    InputReal Xi[nXi]; Real T; Real d; Real u; end BaseProperties;
  model SimpleAir extends BaseProperties(nXi=0); constant Real R=287, cp=1005.45, T0=298.15;
    equation d=p/(R*T); h=cp*(T-T0); u=h-p/d; end SimpleAir;
  connector FluidPort replaceable model Medium=BaseProperties; Real p; flow Real m_flow; Real h;
    flow Real H_flow; Real Xi[Medium.nXi]; flow Real mXi_flow[Medium.nXi]; end FluidPort;
  model DynamicVolume parameter Real V; replaceable model Medium=BaseProperties;
    FluidPort port(redeclare model Medium=Medium); Medium medium; Real U;
    Real M(start=1.2,fixed=true,stateSelect=StateSelect.always); Real MXi[medium.nXi];
    initial equation medium.T=300; equation U=medium.u*M; M=medium.d*V; MXi=medium.Xi*M;
    der(U)=port.H_flow; der(M)=port.m_flow; der(MXi)=port.mXi_flow; medium.p=port.p;
    medium.h=port.h; medium.Xi=port.Xi; end DynamicVolume;
  model Src replaceable model Medium=BaseProperties;
    FluidPort port(redeclare model Medium=Medium); equation port.m_flow=-0.1;
    port.H_flow=-0.1*2000; port.mXi_flow=zeros(Medium.nXi); end Src;
  model M DynamicVolume v(V=1,redeclare model Medium=SimpleAir);
    Src s(redeclare model Medium=SimpleAir); equation connect(v.port,s.port); end M;
end P;
// class P.M
// v.M(0.37) = 1.2369999999999999
// v.M = 1.3
