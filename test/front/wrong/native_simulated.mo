model M = Dialectic.Planar.Body(m = 2);
// error 1: 'M' is one component and cannot be simulated by itself
