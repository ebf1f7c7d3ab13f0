model M
  parameter Real a = squrt(2);
end M;
// error 2: there is no function 'squrt'
// advice did you mean 'sqrt'?
