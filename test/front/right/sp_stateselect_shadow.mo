model M
  type StateSelect = enumeration(one, two);
  StateSelect s = StateSelect.one;
  Real y(stateSelect = .StateSelect.never, start=1, fixed=true);
    Real z(stateSelect=.StateSelect.always);
equation der(y) = -y; z = 2*y;
end M;
// s = 1.0
// z(0.37) = 1.3814686612747094
// z = 0.7357588823428847
