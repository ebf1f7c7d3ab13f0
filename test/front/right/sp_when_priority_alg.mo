model M
  Boolean close(start=false,fixed=true); algorithm when time>0.5 then close:=false; end when;
    when time>0.5 then close:=true; end when;
end M;
// close = 1.0
