model M
  parameter String s[3]={"a","b","c"}; parameter String j=s[1]+s[3];
    Real y=if j=="ac" then 1 else 0; parameter Boolean b[2]={true,false};
    Real z=if b[1] and not b[2] then 1 else 0; parameter Integer nn[2,2]=[1,2;3,4];
    Real w=nn[2,1];
end M;
// y = 1.0
// z = 1.0
// w = 3.0
