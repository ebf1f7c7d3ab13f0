"""Reinforcement learning on a fleet: 1024 loads on carts, one policy, random search.

Environment has the two calls that reinforcement learning expects, reset and step, for all lanes at
once: actions and observations are arrays of numpy that the engine reads and writes. The policy is
linear, f = k . (s, v, phi, w); every lane tries gains of its own, the best ones are the centre of
the next generation. The task is to bring the load to rest above the start from a swing of 1 rad.
"""
import numpy as np

import lieder

TEXT = """
model Pushed "a load on a cart that is pushed"
  Dialectic.Planar.Fixed fixed;
  Dialectic.Planar.Prismatic prismatic(r = {1, 0});
  Dialectic.Planar.Body cart(m = 4);
  Dialectic.Planar.Revolute revolute(phi(start = 1));
  Dialectic.Planar.FixedTranslation rod(r = {0, -1});
  Dialectic.Planar.Body load(m = 1);
  Dialectic.Translational.Force push(f = 0);
equation
  connect(fixed.frame, prismatic.frame_a);
  connect(prismatic.frame_b, cart.frame_a);
  connect(prismatic.frame_b, revolute.frame_a);
  connect(revolute.frame_b, rod.frame_a);
  connect(rod.frame_b, load.frame_a);
  connect(prismatic.flange_a, push.flange);
end Pushed;
model Fleet
  parameter Integer n = 1;
  Pushed crab[n];
end Fleet;
"""


class Environment:
    """Lanes of the model as environments of one kind, stepped together."""

    OBSERVED = ["crab.prismatic.s", "crab.prismatic.v", "crab.revolute.phi", "crab.revolute.w"]

    def __init__(self, lanes, period=0.05, step=1e-2):
        model = lieder.load_text(TEXT)
        model["n"] = lanes
        self.sim = model.stepper(step=step, solver="rk4", inputs=["crab.push.f"],
                                 outputs=self.OBSERVED)
        self.steps = round(period / step)
        self.force = self.sim.inputs["crab.push.f"]
        self.views = [self.sim.outputs[n] for n in self.OBSERVED]

    def reset(self):
        self.sim.reset()
        return np.array(self.views)

    def step(self, action):
        self.force[:] = action
        self.sim.step(self.steps)
        observation = np.array(self.views)
        s, v, phi, w = observation
        reward = -(phi**2 + 0.1 * w**2 + 0.1 * s**2 + 0.01 * v**2 + 1e-4 * action**2)
        return observation, reward


def train(lanes=1024, generations=6, horizon=120, seed=1):
    random = np.random.default_rng(seed)
    environment = Environment(lanes)
    mean, spread = np.zeros(4), np.array([10.0, 10.0, 30.0, 30.0])
    history = []
    for _ in range(generations):
        gains = mean[:, None] + spread[:, None] * random.standard_normal((4, lanes))
        gains[:, 0] = mean
        total = np.zeros(lanes)
        observation = environment.reset()
        for _ in range(horizon):
            action = np.clip((gains * observation).sum(axis=0), -50, 50)
            observation, reward = environment.step(action)
            total += reward
        best = np.argsort(total)[-lanes // 20:]
        mean, spread = gains[:, best].mean(axis=1), gains[:, best].std(axis=1) + 0.1
        history.append(total[0])
        print(f"policy {gains[:, 0].round(1)}  return {total[0]:8.2f}")
    return history


if __name__ == "__main__":
    returns = train()
    assert returns[-1] > 0.2 * returns[0], "the policy should have become better"
