model M
  parameter Boolean use_T=true annotation(Evaluate=true);
    parameter Real T_start=if use_T then 300 else h_start/4;
    parameter Real h_start=if use_T then 4*T_start else 100; Real y=T_start+h_start;
end M;
// y = 1500.0
