model M
  extends Dialectic.Examples.Chain(n = 2);
end M;
// error 2: 'Chain' has counts that decide its structure and cannot be inherited
