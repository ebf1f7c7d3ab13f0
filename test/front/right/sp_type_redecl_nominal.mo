model M
  model C1 type Voltage=Real(nominal=1); Voltage v1(start=1,fixed=true); equation der(v1)=-v1;
    end C1; model C2 extends C1(Voltage(nominal=1000)); end C2; C2 c;
end M;
// c.v1(0.37) = 0.6907343306373547
// c.v1 = 0.36787944117144233
