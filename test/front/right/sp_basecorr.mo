model M
  partial model BaseCorrelation input Real x; Real y; end BaseCorrelation;
    model SpecialCorrelation extends BaseCorrelation(x=2); equation y=2/x;
    end SpecialCorrelation; SpecialCorrelation s;
end M;
// s.y = 1.0
