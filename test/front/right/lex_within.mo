within ;
package P
  model M "text" + "more text"
    Real y = 2;
  end M;
end P;
// class P.M
// y = 2.0
