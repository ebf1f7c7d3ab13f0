model M
  type DCC=enumeration(zero,one); type DC=DCC(quantity="Current",start=DCC.one,fixed=true);
    DC c; DCC d(start=DCC.one,fixed=true); equation when time>0.5 then c=DCC.zero; d=DC.zero;
    end when;
end M;
// c = 1.0
// d = 1.0
