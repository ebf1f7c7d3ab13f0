"""A model from a file: parameters, a run, a sweep, eigenvalues."""
import os

import lieder

here = os.path.dirname(os.path.abspath(__file__))
m = lieder.load(os.path.join(here, "..", "..", "models", "crane_crab.mo"))
m["cart.m"] = 3
print(m.parameters["cart.m"].text, m["cart.m"], m.parameters["cart.m"].unit)

r = m.simulate(stop=10, solver="rk4", step=1e-3)
print(r, "angle at the end:", r["revolute.phi"][-1])

for v in m.eigen():
    print(f"{v.value:.4g}", v.participation)

s = m.sweep({"cart.m": [1, 2, 4], "load.m": [1, 2]}, stop=1, solver="rk4", step=1e-3, threads=2)
for member, s_end in zip(s.members, s.final("prismatic.s")):
    print(member, s_end)

try:
    m["cart.mass"] = 3
except lieder.Error as e:
    print(e)
