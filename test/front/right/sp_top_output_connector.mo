model M
  connector InPort=input Real; connector OutPort=output Real; block S OutPort y=2*time; end S;
    S s; OutPort x; OutPort z[2]; S t[2]; equation connect(s.y,x); connect(t.y,z);
end M;
// x(0.37) = 0.74
// x = 2.0
// z[2](0.37) = 0.74
// z[2] = 2.0
