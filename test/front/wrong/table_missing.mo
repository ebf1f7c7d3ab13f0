package P
  function sizes input String f; input String n; output Integer d[2];
    external "C" ModelicaIO_readMatrixSizes(f, n, d); end sizes;
  model M
    parameter Integer d[2] = sizes("/nowhere/a.mat", "a");
    parameter Integer e[2] = sizes("/nowhere/a.txt", "a");
  end M;
end P;
// error 5: ModelicaIO_readMatrixSizes: the file /nowhere/a.mat of a table cannot be read
// error 6: ModelicaIO_readMatrixSizes: the file /nowhere/a.txt of a table cannot be read
// class P.M
