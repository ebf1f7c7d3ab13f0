model M
  Integer n(start=0,fixed=true); Real a(start=0,fixed=true);
    algorithm when sample(0.05,0.1) then n := n + 1; a := a + n*0.5; if n == 3 then a := 0;
    end if; elsewhen time > 2 then n := 0; end when;
end M;
// n = 10.0
// a = 24.5
