model M
  parameter Boolean steadyState=false; parameter Real y0=7; Boolean reset=time>0.5; Real y;
    equation der(y)=-y;
    when {initial(),reset} then if not (initial() and steadyState) then reinit(y,y0); end if;
    end when; initial equation if steadyState then der(y)=0; end if;
end M;
// y(0.37) = 4.835140314461483
// y = 4.245714617988434
