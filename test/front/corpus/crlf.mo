model A
  Real x = "aä
b" // c
;
end A;
