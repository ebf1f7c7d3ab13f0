model M
  inner Integer depth = 0; model L inner outer Integer depth; Integer own = depth; end L;
    model L1 outer Integer depth; Integer d = depth; end L1; L1 a;
end M;
// a.d = 0.0
