encapsulated pure function table "read a table"
  input Real u[:, 2];
  input Integer n = size(u, 1);
  output Real y;
protected
  Real s = sum(u[i, 1]^2 + {1, 2} .^ k for i in 1:n, k);
algorithm
  (y, , s) := f(u[:, end], a = 1, g = function h(x = 2, z = 3));
  while y > 0 loop
    y := y - 1;
    if y == 3 then
      break;
    else
      return;
    end if;
  end while;
  for i loop
    u[i, 1] := [1, 2; 3, 4]*{k for k in 1:2:9} ./ (a + b).c;
  end for;
  when initial() then
    print("\"\\\n");
  end when;
end table;
impure function ext
  external "C" y = c_function(u, size(u, 1)) annotation (Library = {"m"});
  annotation (Inline = false);
end ext;
function d = der(f, x, y) "partial derivative";
type E = enumeration(one "1", two, three annotation (x = 1)) "three";
type F = enumeration(:);
connector Pin = input Real[3](each unit = "V");
expandable connector Bus end Bus;
operator record Complex
  Real re, im;
  encapsulated operator 'constructor'
    function fromReal end fromReal;
  end 'constructor';
  operator function '*' = multiply;
end Complex;
model extends Base(x = 1, redeclare final Real y)
  extends Other(break a, break connect(b, c), each z = break) annotation (x = 1);
  redeclare model extends Inner "longer" end Inner;
end Base;
