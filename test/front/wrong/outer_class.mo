package P
  package A
    constant Real c = 1;
  end A;
  model R
    outer package Q = A;
    Real y = Q.c*time;
  end R;
  model M
    R r;
  end M;
end P;
// error 6: outer class 'Q' has no inner 'Q' around it
// advice declare an inner class of this name in a model around it
// class P.M
