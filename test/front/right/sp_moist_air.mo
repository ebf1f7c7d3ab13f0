package P
  partial package PartialMedium constant Integer nX;
    replaceable partial model BaseProperties Real X[nX]; Real T(start=300,fixed=true);
    equation der(T)=1; end BaseProperties;
    replaceable partial function dynamicViscosity input Real p; output Real eta;
    end dynamicViscosity; end PartialMedium;
  package MoistAir extends PartialMedium(nX=2);
    redeclare model extends BaseProperties(T(stateSelect=StateSelect.prefer)) equation X={0,1};
    end BaseProperties; redeclare function extends dynamicViscosity algorithm eta:=2*p;
    end dynamicViscosity; end MoistAir;
  model M MoistAir.BaseProperties b; Real eta=MoistAir.dynamicViscosity(3); end M;
end P;
// class P.M
// b.X[2] = 1.0
// b.T(0.37) = 300.37
// b.T = 301.0
// eta = 6.0
