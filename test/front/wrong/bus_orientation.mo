package P
  record O Real T[2]; function equalityConstraint input O a, b; output Real r[1]; algorithm r := {a.T[1] - b.T[1]}; end equalityConstraint; end O;
  connector Frame O R; Real r; flow Real f; end Frame;
  expandable connector Bus end Bus;
  model A Frame frame; equation frame.r = 0; Connections.root(frame.R); frame.R.T = {1, 0}; end A;
  model M A a; Bus bus; equation connect(a.frame, bus.frame); end M;
end P;
// error 6: a connector with an orientation or the like cannot be an element of an expandable connector
// class P.M
