model 'my model'
  Real 'x y'(start = 1, fixed = true) "a \"text\" with \\ and ö";
  Real 'a\'b' = 2*'x y';
  Real '1' = 'a\'b' + 1;
  parameter Real 'π' = 3 /* a /* no nesting */ ;
equation
  // comment to the end
  der('x y') = -'x y';
end 'my model';
// 'x y'(0.37) = 0.6907343306373547
// 'x y' = 0.36787944117144233
// '1'(0.37) = 2.3814686612747096
// '1' = 1.7357588823428847
