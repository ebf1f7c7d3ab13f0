model M
  type Colors=enumeration(RED,GREEN,BLUE); Integer i=1+integer(2.5*time); Colors c=Colors(i);
end M;
// c = 3.0
