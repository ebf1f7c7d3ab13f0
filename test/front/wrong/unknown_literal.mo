package P
  type Kind = enumeration(small, large);
  model M
    parameter Kind k = Kind.smal;
  end M;
end P;
// error 4: enumeration 'Kind' has no literal 'smal'
