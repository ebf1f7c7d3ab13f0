model M
  type D=enumeration(zero,one); Real x[D], y[D], z[D]; algorithm for e in D loop x[e]:=1.;
    end for; for e loop y[e]:=2.; end for; for e in D.zero:D.one loop z[e]:=3.; end for;
end M;
// x[1] = 1.0
// y[2] = 2.0
// z[2] = 3.0
