model M
  model Base replaceable Real v = 1; replaceable parameter Real p = 2; end Base;
    model D extends Base(redeclare Real v = 5); end D; D d; model E2 extends Base;
    redeclare parameter Real p = 9; end E2; E2 f; 
end M;
// d.v = 5.0
