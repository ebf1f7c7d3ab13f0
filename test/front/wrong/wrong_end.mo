model M
  Real x = time;
end N;
// error 3: the model 'M' of line 1 ends with 'end N'
