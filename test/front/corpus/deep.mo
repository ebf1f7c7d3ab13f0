model A
 Real x = ((((((((((1))))))))));
 Real y = f(f(f(f(f(f(x))))));
end A;