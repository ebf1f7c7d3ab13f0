model M
  type Length = Real(final quantity="Length", final unit="m", displayUnit="mm", min=0, start=2,
    nominal=10);
  Length l(fixed=true); Length k = 3; parameter Length p(min=1,max=9)=5;
    Real c(start=1, fixed=true, stateSelect=StateSelect.always, unbounded=true);
equation der(l) = -l/1; der(c) = -2*c;
end M;
// l(0.37) = 1.3814686612747094
// l = 0.7357588823428847
// c(0.37) = 0.4771139155210344
// c = 0.1353352832366127
