model M
  Integer a = 2147483647; Real b = a + 1.0; Integer c = -2147483648 + 0;
end M;
// b = 2147483648.0
