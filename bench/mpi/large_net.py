#!/usr/bin/env python3
"""A net that is too large for one process, over ranks: bench/mpi/large_net.py N RANKS STEPS [GB of a rank at most]

Runs models/scale/Net.mo with N x N bodies for some steps of RK4, and prints memory and time of every rank. Then some of its bodies are found once more, each
by a run of one process that has nothing but a window of 121 x 121 bodies around it: what is further away has no influence that doubles show (c TD^2/m = 1:
it shrinks by a factor of about two from body to body). Windows lie across the cuts as well. Ends with 1 if a number differs by more than 1e-11.
"""
import csv, os, resource, subprocess, sys, tempfile

n, ranks, steps = (int(a) for a in sys.argv[1:4])
most = float(sys.argv[4]) if len(sys.argv) > 4 else None
root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
work = tempfile.mkdtemp(prefix="lieder_net_")
stop, window, centre = steps * 2e-3, 121, 61
environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_rmaps_base_oversubscribe="1",
                   OMPI_MCA_btl="self,vader", OMPI_MCA_hwloc_base_binding_policy="none")
if n < 2 * window:
    sys.exit(f"N is {2 * window} or more")
bodies = [(n // 2, n // 2), (n // 2 + 1, n // 4), (n // 4, n // 2 + 1), (centre, n - centre), (n // 2, centre)]
options = ["--solver", "rk4", "--step", "2e-3", "--stop-time", str(stop), "--interval", "2e-3"]


def last_row(name):
    rows = list(csv.reader(open(os.path.join(work, name))))
    return dict(zip(rows[0], map(float, rows[-1])))


def limit():
    if most:
        resource.setrlimit(resource.RLIMIT_AS, (int(most * 2**30),) * 2)


wanted = r"along_[xy]\[(" + "|".join(f"{i},{j}" for i, j in bodies) + r")\]\.[sv]"
timed = ["sh", "-c", 'exec /usr/bin/time -f "  a rank: %M kB, %U s of user and %S s of system time, %e s" "$@"', "rank"]
subprocess.run(["mpirun", "-n", str(ranks), *timed, os.path.join(root, "build", "lieder-mpi"), "simulate", os.path.join(root, "models/scale/Net.mo"),
                "--override", f"n={n}", "--limit", "memory=16G", "--limit", "steps=100000000000", *options, "--record", wanted,
                "-o", os.path.join(work, "net.csv")], env=environment, check=True, preexec_fn=limit)
whole = last_row("net.csv")

# the same bodies by their places in the whole
text = open(os.path.join(root, "models/scale/Net.mo")).read()
for old, new in (("model Net ", "model Window "), ("end Net;", "end Window;"), ("  parameter Real m(unit", "  parameter Integer I0 = 0, J0 = 0;\n  parameter Real m(unit"),
                 ("mesh * (j + 0.2 * sin(0.7 * i))", "mesh * (j + J0 + 0.2 * sin(0.7 * (i + I0)))"),
                 ("-mesh * (i + 0.2 * sin(0.9 * j))", "-mesh * (i + I0 + 0.2 * sin(0.9 * (j + J0)))"),
                 ("{mesh * j for j in 1:n}, each s_rely0 = -mesh)", "{mesh * (j + J0) for j in 1:n}, each s_rely0 = -mesh * (1 + I0))")):
    if old not in text:
        sys.exit(f"models/scale/Net.mo has no '{old}' any more")
    text = text.replace(old, new)
open(os.path.join(work, "window.mo"), "w").write(text)
worst = 0
for i, j in bodies:
    a, b = i - centre, j - centre
    subprocess.run([os.path.join(root, "build", "lieder"), "simulate", os.path.join(work, "window.mo"), "--override", f"n={window}", "--override", f"I0={a}",
                    "--override", f"J0={b}", *options, "--record", rf"along_[xy]\[{centre},{centre}\]\.[sv]", "-q", "-o", os.path.join(work, "window.csv")], check=True)
    part = last_row("window.csv")
    for name, value in part.items():
        if name != "time":
            worst = max(worst, abs(whole[name.replace(f"[{centre},{centre}]", f"[{i},{j}]")] - value) / (1 + abs(value)))
print(f"  {len(bodies)} bodies, alone with their neighbours: {worst:.1e} apart")
sys.exit(not worst <= 1e-11)
