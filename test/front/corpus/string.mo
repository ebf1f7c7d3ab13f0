model A Real x = "no end;
end A;
