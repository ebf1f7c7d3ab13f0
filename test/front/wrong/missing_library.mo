model M
  import Fluidics.Pipes;
  Modelica.Blocks.Sources.Sine sine;
  Fluidics.Pipes.Tube tube;
end M;
// error 3: there is no class 'Modelica.Blocks.Sources.Sine'
// error 4: there is no class 'Fluidics.Pipes.Tube'
