expandable connector Bus
end Bus;
model M
  Bus bus;
end M;
// error 4: components of class 'Bus': expandable connectors are not supported yet
