model M
  Real speed;
algorithm
  sped := 2;
  if time > 1 then
    other := 3;
  end if;
  speed := 1;
end M;
// error 4: there is no 'sped' here
// advice did you mean 'speed'?
// error 6: there is no 'other' here
