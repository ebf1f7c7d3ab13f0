model M
  function fact input Integer n; output Integer f; algorithm f := 1; for i in 2:n loop f := f*i;
    end for; end fact; function fib input Integer n; output Integer r;
    algorithm if n < 2 then r := n; else r := fib(n-1) + fib(n-2); end if; end fib;
    function gcd input Integer a; input Integer b; output Integer g;
    protected Integer x=a, y=b, t; algorithm while y > 0 loop t := mod(x,y); x := y; y := t;
    end while; g := x; end gcd; Integer a=fact(5), b=fib(10), c=gcd(48,36);
end M;
// a = 120.0
// b = 55.0
// c = 12.0
