model NativeInside
  connector Pin Real v; flow Real i; end Pin;
  model Motor
    Pin pin;
    Dialectic.Planar.Lever lever;
  equation
    pin.v = 2*pin.i;
  end Motor;
  model Source Pin pin; equation pin.v = 1; end Source;
  Motor motor;
  Source source;
equation
  connect(motor.pin, source.pin);
end NativeInside;
// error 5: 'lever' is a component of the compiled library, written in C, inside a model with equations
