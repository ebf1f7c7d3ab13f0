"""The Python package: values against the command line and against formulas, errors, threads."""
import csv
import gc
import math
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import warnings

import numpy as np

import lieder

SOURCE, PROGRAM = os.environ["LIEDER_SOURCE"], os.environ["LIEDER_PROGRAM"]
CRAB = os.path.join(SOURCE, "models", "crane_crab.mo")
sys.path.insert(0, os.path.join(SOURCE, "python", "examples"))
from fleet import TEXT  # noqa: E402

OSCILLATOR = """
model Oscillator "a mass on a spring"
  parameter Real m(unit = "kg") = 2 "mass";
  parameter Real c = 8;
  parameter Real l[2] = {0, 0} "length";
  Real x(start = 1, unit = "m") "position", v(start = 0);
equation
  der(x) = v;
  m*der(v) = -c*(x - l[1] - l[2]);
  annotation(experiment(StopTime = 3, Tolerance = 1e-9));
end Oscillator;
"""

BREAKING = """
model Breaking
  inner Dialectic.World world(TD = 1e-3);
  Dialectic.Translational.Fixed fixed;
  Dialectic.Translational.Joint joint(v(start = 1));
  Dialectic.Translational.Body body(m = 2, g = 0);
  Dialectic.Translational.Breakable wire(c = 2, f_max = 1);
equation
  connect(fixed.flange_b, joint.flange_a);
  connect(joint.flange_b, body.flange_a);
  connect(fixed.flange_b, wire.flange_a);
  connect(joint.flange_b, wire.flange_b);
end Breaking;
"""


def program(*arguments):
    # a sanitized program brings its own runtime, not the one that the interpreter was given
    environment = {k: v for k, v in os.environ.items() if k != "LD_PRELOAD"}
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, check=False, env=environment)


class Models(unittest.TestCase):
    def test_table(self):
        m = lieder.load_text(OSCILLATOR)
        self.assertEqual(m.name, "Oscillator")
        self.assertEqual(list(m.states), ["x", "v"])
        self.assertEqual((m.states["x"].unit, m.states["x"].text), ("m", "position"))
        self.assertEqual(m.states["x"].start, 1)
        self.assertEqual((m.parameters["m"].unit, m.parameters["m"].text), ("kg", "mass"))
        self.assertEqual(m.experiment["stop"], 3)
        self.assertIn("x", m)
        self.assertNotIn("nothing", m)

    def test_values(self):
        m = lieder.load(CRAB)
        self.assertEqual(m["cart.m"], 2)
        m["cart.m"] = 3
        m["revolute.phi"] = 0.5
        m["rod.r"] = [0, -2]
        self.assertEqual((m["cart.m"], m["revolute.phi"]), (3, 0.5))
        self.assertEqual(list(m["rod.r"]), [0, -2])
        self.assertEqual(m["rod.r[2]"], -2)
        self.assertEqual(m.changes["cart.m"], "3")
        c = m.copy()
        del m["cart.m"]
        self.assertEqual((m["cart.m"], c["cart.m"]), (2, 3))
        # the world's T_D reaches the joints, as in the text
        m["world.TD"] = 5e-3
        self.assertEqual(m["revolute.TD"], 5e-3)

    def test_arrays(self):
        m = lieder.load_text(TEXT, model="Fleet")
        m["n"] = 5
        self.assertEqual(m.variables["crab.cart.m"].shape, (5,))
        m["crab.cart.m"] = np.arange(1.0, 6.0)
        self.assertEqual(list(m["crab.cart.m"]), [1, 2, 3, 4, 5])
        m["crab[2].cart.m"] = 7
        self.assertEqual(list(m["crab.cart.m"]), [1, 7, 3, 4, 5])
        self.assertEqual(m["crab[4].rod.r[2]"], -1)

    def test_bound_parameters(self):
        """c = 2*k follows k before a run; while a stepper lives k stays what it is"""
        m = lieder.load_text("model M parameter Real k = 1, c = 2*k; Real x(start = 1); "
                             "equation der(x) = c - k*x; end M;")
        m["k"] = 3
        self.assertEqual(m["c"], 6)
        self.assertEqual((m.variables["k"].tunable, m.variables["c"].tunable), (False, True))
        sim = m.stepper(step=1e-2, solver="rk4")
        with self.assertRaisesRegex(lieder.Error, "follow from it"):
            sim["k"] = 4
        sim["c"] = 5
        self.assertEqual((sim["k"], sim["c"]), (3, 5))

    def test_arguments_that_are_none(self):
        m = lieder.load(CRAB)
        for arguments in ({"stop": float("nan")}, {"start": float("nan")}, {"tolerance": float("nan")}):
            with self.assertRaises(ValueError):
                m.simulate(**{"stop": 1, **arguments})
        for step in (0, -1e-3, float("nan")):
            with self.assertRaisesRegex(lieder.Error, "impossible"):
                m.simulate(stop=1, solver="rk4", step=step)
            with self.assertRaisesRegex(lieder.Error, "impossible"):
                m.stepper(step=step)
        sim = m.stepper(step=1e-3)
        for look in (m, sim):  # C would read "cart.m"
            with self.assertRaises(ValueError):
                look["cart.m\0x"]

    def test_warnings_of_steps(self):
        """a constraint that steps of rk1 tear apart is a warning, then an error"""
        m = lieder.load_text("""model P
          Real x(start = 0.9, fixed = true), y(start = -0.4), u(start = 0, fixed = true), v, F;
        equation
          der(x) = u; der(y) = v; der(u) = -F*x; der(v) = -F*y - 9.81; x^2 + y^2 = 1;
        end P;""")
        sim = m.stepper(step=2e-2, solver="rk1")
        with self.assertWarnsRegex(lieder.Warning, "constraint is off"):
            with self.assertRaisesRegex(lieder.Error, "constraint is off"):
                for _ in range(500):
                    sim.step()

    def test_library(self):
        self.assertEqual(lieder.load("Examples.CraneCrab").name, "Dialectic.Examples.CraneCrab")
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(os.path.join(folder, "Mine"))
            with open(os.path.join(folder, "Mine", "package.mo"), "w") as f:
                f.write("package Mine model O Real x(start = 3); equation der(x) = -x; end O; "
                        "end Mine;")
            m = lieder.load_text("model A extends Mine.O; end A;", library=[folder])
            self.assertEqual(m["x"], 3)

    def test_many_values_need_no_memory(self):
        m = lieder.load_text(OSCILLATOR)
        for i in range(450):  # more than a session takes
            m["m"] = 1 + i
            self.assertEqual(m["m"], 1 + i)


class Runs(unittest.TestCase):
    def test_exact(self):
        m = lieder.load_text(OSCILLATOR)
        m["m"] = 0.5
        r = m.simulate()
        self.assertEqual(r.time[-1], 3)
        self.assertLess(abs(r["x"] - np.cos(4 * r.time)).max(), 1e-6)  # tolerance 1e-9 of the run
        self.assertEqual((r.unit("x"), r.text("x")), ("m", "position"))
        self.assertEqual(r.statistics.solver, "bdf")
        self.assertFalse(r.statistics.stopped)

    def test_no_copy(self):
        r = lieder.load(CRAB).simulate(stop=1, solver="rk4", step=1e-3)
        a, b = r["revolute.phi"], r["revolute.phi"]
        self.assertFalse(a.flags.owndata)
        self.assertEqual(a.ctypes.data, b.ctypes.data)
        with self.assertRaises(ValueError):
            a[0] = 1
        del r, b  # the array keeps the rows
        gc.collect()
        self.assertEqual(a[0], 1)

    def test_bits_of_the_program(self):
        with tempfile.TemporaryDirectory() as folder:
            for options in (dict(solver="rk4", step=1e-3), dict(solver="bdf"),
                            dict(solver="euler-backward", step=1e-2)):
                a, b = os.path.join(folder, "a.csv"), os.path.join(folder, "b.csv")
                m = lieder.load(CRAB)
                m["cart.m"] = 3
                m.simulate(stop=2, **options).to_csv(a)
                arguments = [x for k, v in options.items() for x in ("--" + k, str(v))]
                p = program("simulate", CRAB, "--stop-time", "2", "--override", "cart.m=3",
                            "--output", b, *arguments)
                self.assertEqual(p.returncode, 0, p.stderr)
                with open(a, "rb") as f, open(b, "rb") as g:
                    self.assertEqual(f.read(), g.read())

    def test_record(self):
        m = lieder.load(CRAB)
        r = m.simulate(stop=1, record=["cart.frame_a.x", "cart.m", "der(revolute.w)"])
        self.assertEqual(sorted(r.names), ["cart.frame_a.x", "cart.m", "der(revolute.w)"])
        self.assertEqual(r["cart.m"].shape, r.time.shape)
        self.assertTrue((r["cart.m"] == 2).all())
        self.assertEqual(m.simulate(stop=1, record="revolute\\.(phi|w)").names,
                         ["revolute.phi", "revolute.w"])
        with self.assertRaises(lieder.UnknownName):
            m.simulate(record="nothing")
        with self.assertRaises(lieder.Error):
            m.simulate(record="(")

    def test_events(self):
        r = lieder.load_text(BREAKING).simulate(stop=2)
        self.assertEqual(len(r.events), r.statistics.state_events)
        self.assertEqual(len(r.events), 1)
        e = r.events[0]
        self.assertEqual(r.time[e.row], e.time)
        self.assertEqual((r["wire.broken"][e.row], r["wire.broken"][e.row + 1]), (0, 1))

    def test_clocks(self):
        fleet = BREAKING.replace("model Breaking", "model One").replace("end Breaking", "end One")
        m = lieder.load_text(fleet + "model Two\n  One one[2];\nend Two;\n")
        own = m.simulate(stop=2, solver="rk45")
        shared = m.simulate(stop=2, solver="rk45", clocks="shared")
        self.assertEqual(len(own.time), 501)
        self.assertGreater(len(shared.time), 501)  # rows at events
        with self.assertRaises(lieder.Error) as caught:
            m.simulate(stop=2, clocks="mine")
        self.assertIn("clocks", str(caught.exception))

    def test_start_and_progress(self):
        m = lieder.load_text(OSCILLATOR)
        r = m.simulate(stop=1, start=0.5, x0=[0, 1], intervals=10)
        self.assertEqual((r.time[0], len(r), r["v"][0]), (0.5, 11, 1))
        times = []
        r = m.simulate(stop=1e9, solver="rk4", step=1e-3, interval=1e6,
                       progress=lambda t: times.append(t) or len(times) < 3)
        self.assertTrue(r.statistics.stopped)
        self.assertEqual(len(times), 3)
        with self.assertRaises(ZeroDivisionError):
            m.simulate(stop=1e9, solver="rk4", step=1e-3, interval=1e6, progress=lambda t: 1 / 0)

    def test_sweep(self):
        m = lieder.load_text(OSCILLATOR)
        s = m.sweep({"m": [0.5, 2, -1], "c": [1, 2]}, stop=1, solver="rk4", step=1e-2, threads=2)
        self.assertEqual(len(s), 6)
        self.assertEqual(s.parameters["m"], [0.5, 0.5, 2, 2, -1, -1])
        m["m"], m["c"] = 2, 1
        alone = m.simulate(stop=1, solver="rk4", step=1e-2)
        self.assertTrue((alone["x"] == s[2]["x"]).all())
        self.assertEqual(s.final("x")[2], alone["x"][-1])
        wrong = lieder.load(CRAB).sweep({"cart.m": [1, -1]}, stop=0.1)
        self.assertEqual(list(wrong.errors), [1])
        self.assertTrue(math.isnan(wrong.final("prismatic.s")[1]))
        with self.assertRaises(lieder.Error):
            wrong[1]
        with self.assertRaises(TypeError):
            m.sweep({"m": [1]}, nonsense=1)


class Analysis(unittest.TestCase):
    def test_eigen(self):
        e = lieder.load_text(OSCILLATOR).eigen()
        self.assertEqual(len(e), 2)
        self.assertLess(abs(e[0].value - 2j), 1e-9)  # sqrt(8 / 2)
        self.assertAlmostEqual(e[0].frequency, 1 / math.pi)
        self.assertAlmostEqual(e[0].participation["x"], 0.5)
        self.assertEqual(lieder.load_text(OSCILLATOR).eigen(at=1).time, 1)

    def test_linearise(self):
        m = lieder.load_text(OSCILLATOR)
        n = m.linearise(inputs=[], outputs=["x", "der(v)"])
        self.assertEqual(n.states, ["x", "v"])
        np.testing.assert_allclose(n.A, [[0, 1], [-4, 0]], atol=1e-9)
        np.testing.assert_allclose(n.C, [[1, 0], [-4, 0]], atol=1e-9)
        self.assertEqual((n.B.shape, n.D.shape, list(n.x)), ((2, 0), (2, 0), [1, 0]))
        p = lieder.load_text(TEXT, model="Pushed").linearise(inputs=["push.f"])
        self.assertEqual(p.B.shape, (4, 1))
        self.assertGreater(p.B[1, 0], 0)
        with self.assertRaises(lieder.Error) as caught:
            m.linearise(outputs=["y"])
        self.assertEqual(caught.exception.exit_code, 2)


class Steppers(unittest.TestCase):
    def test_bits_of_a_run(self):
        for text, model in ((TEXT, "Pushed"), (BREAKING, None)):
            m = lieder.load_text(text, model=model)
            r = m.simulate(stop=1.5, solver="rk3", step=1e-3, interval=1e-3)
            sim = m.stepper(step=1e-3, solver="rk3")
            names = list(m.states)
            for row in range(1, len(r)):
                if r.time[row] == r.time[row - 1]:
                    continue
                sim.step()
            self.assertEqual([sim[n] for n in names], [r[n][-1] for n in names])
            self.assertAlmostEqual(sim.time, 1.5)

    def test_control(self):
        sim = lieder.load_text(TEXT, model="Pushed").stepper(step=1e-3)
        for _ in range(1000):
            sim["push.f"] = 15 * sim["revolute.w"] - 4 * sim["prismatic.v"] - 3 * sim["prismatic.s"]
            sim.step(10)
        self.assertLess(abs(sim["revolute.phi"]), 0.1)
        self.assertEqual(sim.state.shape, (4,))
        self.assertAlmostEqual(sim["load.frame_a.phi"], sim["revolute.phi"])
        sim["revolute.phi"] = 0.25
        self.assertIn(0.25, sim.state)
        sim.state[:] = [1, 2, 3, 4]
        self.assertEqual(sim["prismatic.v"], 2)
        sim.reset()
        self.assertEqual((sim.time, sim["revolute.phi"]), (0, 1))
        sim.reset(state=[0, 0, 0.5, 0], time=2)
        self.assertEqual((sim.time, sim["revolute.phi"]), (2, 0.5))

    def test_fleet(self):
        m = lieder.load_text(TEXT, model="Fleet")
        m["n"] = 9
        force = np.linspace(-1, 1, 9)
        sim = m.stepper(step=1e-3, inputs=["crab.push.f"], threads=2,
                        outputs=["crab.revolute.phi", "crab.load.frame_a.x"])
        u, y = sim.inputs["crab.push.f"], sim.outputs["crab.revolute.phi"]
        u[:] = force
        sim.step(100)
        self.assertIs(y, sim.outputs["crab.revolute.phi"])
        one = lieder.load_text(TEXT, model="Pushed").stepper(step=1e-3)
        for i in range(9):
            one.reset()
            one["push.f"] = force[i]
            one.step(100)
            self.assertEqual(one["revolute.phi"], y[i])
            self.assertEqual(one["load.frame_a.x"], sim.outputs["crab.load.frame_a.x"][i])
        sim["crab.push.f"] = np.zeros(9)
        self.assertEqual(list(u), [0] * 9)
        with self.assertRaises(lieder.Error):
            sim["crab.push.f"] = np.zeros(8)
        u[3] = math.nan
        with self.assertRaises(lieder.Error):
            sim.step()

    def test_what_is_wrong(self):
        m = lieder.load(CRAB)
        with self.assertRaises(lieder.Error):
            m.stepper(step=1e-3, solver="bdf")
        with self.assertRaises(lieder.Error):
            m.stepper()
        with self.assertRaises(lieder.Error):
            m.stepper(step=1e-3, inputs=["revolute.phi"])
        sim = m.stepper(step=1e-3)
        with self.assertRaises(KeyError) as caught:
            sim["revolute.ph"]
        self.assertIn("revolute.phi", str(caught.exception))
        sim.state[0] = math.nan
        with self.assertRaises(lieder.Error):
            sim.step()
        self.assertEqual(sim.time, 0)


class Errors(unittest.TestCase):
    def test_text(self):
        with self.assertRaises(lieder.Error) as caught:
            lieder.load_text("model A\n  Real x\nend A;")
        d = caught.exception.diagnostics[0]
        self.assertEqual((d.severity, d.file, d.line), ("error", "text", 2))
        self.assertEqual(caught.exception.exit_code, 1)

    def test_nearest_name(self):
        m = lieder.load(CRAB)
        with self.assertRaises(KeyError) as caught:
            m["cart.mm"] = 3
        self.assertIsInstance(caught.exception, lieder.UnknownName)
        self.assertIn("did you mean 'm'", str(caught.exception))
        self.assertEqual(caught.exception.exit_code, 1)
        self.assertTrue(caught.exception.diagnostics)
        self.assertEqual(m.changes, {})
        with self.assertRaises(KeyError) as caught:
            m["cart.mm"]
        self.assertIn("cart.m", str(caught.exception))
        r = m.simulate(stop=0.1)
        with self.assertRaises(lieder.UnknownName) as caught:
            r["revolute.ph"]
        self.assertIn("revolute.phi", str(caught.exception))
        with self.assertRaises(ValueError):
            m["cart.m"] = math.inf

    def test_files(self):
        with self.assertRaises(lieder.Error) as caught:
            lieder.load("/nowhere/at/all.mo")
        self.assertEqual(caught.exception.exit_code, 4)
        with self.assertRaises(lieder.Error):
            lieder.load(CRAB).simulate(stop=0.1).to_csv("/nowhere/at/all.csv")

    def test_failed_run_keeps_rows(self):
        m = lieder.load_text("model A Real x(start = 1); equation der(x) = x*x; end A;")
        with self.assertRaises(lieder.Error) as caught:
            m.simulate(stop=2, solver="rk4", step=1e-2, interval=1e-2)
        self.assertEqual(caught.exception.exit_code, 3)
        self.assertGreater(len(caught.exception.result), 50)
        self.assertTrue(np.isfinite(caught.exception.result["x"]).all())

    def test_warnings(self):
        m = lieder.load_text(OSCILLATOR)
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            m.simulate(stop=1, solver="rk4", step=0.03, interval=0.1)
        self.assertTrue(any(w.category is lieder.Warning for w in said))


class Threads(unittest.TestCase):
    def test_others_run(self):
        m = lieder.load_text(OSCILLATOR)
        ticks, done = 0, threading.Event()

        def run():
            m.simulate(stop=2000, solver="rk4", step=1e-3, interval=1)
            done.set()

        t = threading.Thread(target=run)
        t.start()
        while not done.is_set():
            time.sleep(1e-3)
            ticks += 1
        t.join()
        self.assertGreater(ticks, 5)

    def test_two_at_once(self):
        results = []

        def run(mass):
            m = lieder.load_text(OSCILLATOR)
            m["m"] = mass
            results.append((mass, m.simulate(stop=20, solver="rk4", step=1e-3)["x"][-1]))

        crew = [threading.Thread(target=run, args=(1.0 + i,)) for i in range(4)]
        for t in crew:
            t.start()
        for t in crew:
            t.join()
        for mass, x in results:
            self.assertAlmostEqual(x, math.cos(math.sqrt(8 / mass) * 20), places=6)

    def test_interrupt(self):
        code = ("import lieder, sys; m = lieder.load(sys.argv[1]); print('ready', flush=True); "
                "m.simulate(stop=1e9, solver='rk4', step=1e-3, interval=1e6)")
        p = subprocess.Popen([sys.executable, "-c", code, CRAB], stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, text=True)
        p.stdout.readline()
        time.sleep(0.3)
        p.send_signal(signal.SIGINT)
        _, said = p.communicate(timeout=20)
        self.assertIn("KeyboardInterrupt", said)


class Package(unittest.TestCase):
    def test_hints_cover_the_package(self):
        with open(os.path.join(os.path.dirname(lieder.__file__), "__init__.pyi")) as f:
            hints = f.read()
        compile(hints, "__init__.pyi", "exec")
        for name in lieder.__all__:
            self.assertRegex(hints, rf"(?m)^(class|def) {name}\b")
        for kind in (lieder.Model, lieder.Result, lieder.Sweep, lieder.Stepper):
            for name in vars(kind):
                if not name.startswith("_"):
                    self.assertRegex(hints, rf"(?m)^    (def )?{name}\b", kind)

    def test_only_the_module_is_exported(self):
        from lieder import _lieder
        p = subprocess.run(["nm", "-D", "--defined-only", _lieder.__file__], capture_output=True,
                           text=True, check=True)
        names = {line.split()[-1] for line in p.stdout.splitlines() if "sancov" not in line} # counters of clang
        self.assertEqual(names, {"PyInit__lieder"})

    def test_csv_is_text_of_the_rows(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a.csv")
            r = lieder.load(CRAB).simulate(stop=1, solver="rk4", step=1e-2)
            r.to_csv(path)
            with open(path, newline="") as f:
                text = f.read()
            self.assertEqual(r.to_csv(), text)
            rows = list(csv.reader(text.splitlines()))
            at = rows[0].index("revolute.phi")
            np.testing.assert_allclose([float(x[at]) for x in rows[1:]], r["revolute.phi"],
                                       rtol=1e-15)  # 16 digits

    def test_hdf5(self):
        with tempfile.TemporaryDirectory() as folder:
            a, b = os.path.join(folder, "a.csv"), os.path.join(folder, "b.h5")
            r = lieder.load(CRAB).simulate(stop=1, solver="rk4", step=1e-2)
            r.to_csv(a)
            r.to_hdf5(b)
            p = program("compare", a, b)
            self.assertEqual(p.returncode, 0, p.stderr)
            self.assertIn("8 variables inside", p.stdout)
            with self.assertRaises(ValueError):
                r.to_hdf5(a)


if __name__ == "__main__":
    unittest.main()
