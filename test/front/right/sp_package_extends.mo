package P
  package PowerTrain replaceable package GearBoxes model G1 Real y=1; end G1; end GearBoxes;
    end PowerTrain; package My extends PowerTrain;
    redeclare package extends GearBoxes model G2 Real y=2; end G2; end GearBoxes; end My;
    model M My.GearBoxes.G1 a; My.GearBoxes.G2 b; end M;
end P;
// class P.M
// a.y = 1.0
// b.y = 2.0
