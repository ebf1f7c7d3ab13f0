model M
  Boolean fastSample,slowSample(start=false,fixed=true);
    Integer ticks(start=0,fixed=true), slow(start=0,fixed=true);
    equation fastSample=sample(0,1);
    algorithm when fastSample then ticks:=if pre(ticks)<5 then pre(ticks)+1 else 0;
    slowSample:=pre(ticks)==0; end when; algorithm when slowSample then slow:=pre(slow)+1;
    end when;
end M;
// stop 13.5
// slow = 3.0
