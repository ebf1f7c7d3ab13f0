model M
  inner Real T = 1; model S inner outer Real T(start=0); end S;
  model Sub outer Real T; model In inner Real T = 7; Leaf l; end In; model Leaf outer Real T;
    Real y = T; end Leaf; In i; Leaf l; end Sub; Sub s;
end M;
// s.i.l.y = 7.0
// s.l.y = 1.0
