#!/usr/bin/env python3
"""Ranks of MPI on one machine: make bench-mpi.

Throughput of two ranks against two threads, memory of a rank against the number of ranks, decisions, messages and bytes
of a step. Prints the tables of docs/performance/ranks.md and writes results/bench_mpi.md. Seconds are the least of
some runs one after the other; where other programs run, the ratio of processor time says more. What a step sends is the
difference of two runs of different length, so that the start is not in it.
"""
import json, os, resource, subprocess, sys, tempfile

root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
lieder, ranks = (os.path.join(root, "build", name) for name in ("lieder", "lieder-mpi"))
quick = "quick" in sys.argv[1:]
work = tempfile.mkdtemp(prefix="lieder_mpi_")
environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                   OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_btl="self,vader", OMPI_MCA_hwloc_base_binding_policy="none")
lines = []


def say(*texts):
    line = " ".join(texts)
    lines.append(line)
    print(line, flush=True)


def table(*titles):
    say("|" + "|".join(f" {t} " for t in titles) + "|")
    say("|" + "|".join("---" for _ in titles) + "|")


def run(count, *arguments, threads=1):
    """a run by so many ranks, 0: by lieder; what it says, its processor time and the largest memory of each rank in MB"""
    sizes = os.path.join(work, "memory")
    for name in os.listdir(work):
        os.unlink(os.path.join(work, name))
    timed = ["sh", "-c", f'exec /usr/bin/time -f %M -o {sizes}.$OMPI_COMM_WORLD_RANK "$@"', "rank"]
    start = ["mpirun", "-n", str(count)] if count else []
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(start + timed + [ranks if count else lieder, "simulate", *arguments, "--threads", str(threads), "--log-format", "json",
                                           "-o", os.path.join(work, "result.csv")],
                          env=environment, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        sys.exit(f"{' '.join(arguments)} on {count} ranks: {done.stderr}")
    summary = [json.loads(line) for line in done.stdout.splitlines() if '"summary"' in line or '"steps"' in line][-1]
    summary["processor"] = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    summary["megabytes"] = [int(open(os.path.join(work, f)).read().split()[-1]) / 1024
                            for f in sorted(os.listdir(work)) if f.startswith("memory")]
    return summary


def per_step(count, short, long, *arguments, option="--stop-time"):
    """decisions, messages, bytes and seconds of one step"""
    a, b = run(count, *arguments, option, str(short)), run(count, *arguments, option, str(long))
    steps = b["steps"] - a["steps"]
    return [(b.get(k, 0) - a.get(k, 0)) / steps for k in ("decisions", "messages", "message_bytes", "seconds")], b


fleet = os.path.join(root, "models/scale/Fleet.mo")
net = os.path.join(root, "models/scale/Net.mo")
say(f"Load of the machine at the begin: {os.getloadavg()[0]:.1f}, {os.cpu_count()} processors.\n")

say("Two ranks against two threads, crane crabs by rk4:\n")
table("crabs", "steps", "threads, s", "ranks, s", "throughput of ranks / threads", "processor time of threads / ranks")
for n, stop in ((1024, 2), (65536, 0.05)) if quick else ((1024, 20), (65536, 0.4), (1000000, 0.03)):
    arguments = [fleet, "--override", f"n={n}", "--solver", "rk4", "--step", "1e-3", "--stop-time", str(stop), "--interval", str(stop), "--record",
                 r"crab\[1\]\.prismatic\.s", "--compile", "never"]
    best = {}
    for _ in range(2 if quick else 5):
        for name, result in (("threads", run(0, *arguments, threads=2)), ("ranks", run(2, *arguments))):
            old = best.get(name, result)
            best[name] = {k: min(old[k], result[k]) if k in ("seconds", "processor") else result[k] for k in ("seconds", "processor", "steps")}
    t, r = best["threads"], best["ranks"]
    say(f"| {n} | {r['steps']} | {t['seconds']:.3f} | {r['seconds']:.3f} | {t['seconds'] / r['seconds']:.2f} | {t['processor'] / r['processor']:.2f} |")

say("\nMemory of a rank, and what rank 0 sends in a step:\n")
table("model", "ranks", "largest rank, MB", "all ranks, MB", "decisions", "messages", "bytes", "ms a step")
crabs, side = (20000, 60) if quick else (1000000, 300)
cases = [(f"{crabs} crabs, rk4", [fleet, "--override", f"n={crabs}", "--solver", "rk4", "--step", "1e-3", "--record", r"crab\[1\]\.prismatic\.s", "--compile", "never"], (0.01, 0.03)),
         ("2000 crabs, esdirk23", [fleet, "--override", "n=2000", "--solver", "esdirk23", "--step", "1e-2", "--record", r"crab\[1\]\.prismatic\.s", "--compile", "never"], (0.1, 0.4)),
         (f"net of {side} x {side}, rk4", [net, "--override", f"n={side}", "--solver", "rk4", "--step", "2e-3", "--record", r"along_x\[1,1\]\.s"], (0.01, 0.03))]
for name, arguments, (short, long) in cases:
    for count in (1, 2, 3, 4):
        (decisions, messages, size, seconds), b = per_step(count, short, long, *arguments, "--interval", str(long))
        say(f"| {name} | {count} | {max(b['megabytes']):.0f} | {sum(b['megabytes']):.0f} | {decisions:.1f} | {messages:.1f} | {size:.0f} | {1e3 * seconds:.3g} |")

say("\nNets that are stiff, rk4, by iteration or by factors as the ranks choose (letters of the factorisation are not counted):\n")
side = 40 if quick else 200
table("c TD^2/m", "ranks", "s for the start", "ms a step", "decisions", "letters")
for stiffness in (1, 100, 1e6):
    for count in (1, 2, 4):
        (decisions, messages, _, seconds), b = per_step(count, 0.004, 0.012, net, "--override", f"n={side}", "--override", f"c={stiffness * 1e4:g}", "--solver",
                                                        "rk4", "--step", "2e-3", "--record", r"along_x\[1,1\]\.s", "--interval", "0.004")
        say(f"| {stiffness:g} | {count} | {b['seconds'] - b['steps'] * seconds:.2f} | {1e3 * seconds:.3g} | {decisions:.0f} | {messages:.0f} |")

say("\nMicroseconds of MPI on this machine, the least of five means of 2000:\n")
table("ranks", "through", "decision of 1 number", "of one for each rank", "of 1024", "letter of 8 bytes", "of 8 kB")
latency = os.path.join(work, "latency")
subprocess.run(["mpicc", "-O2", "-o", latency, os.path.join(root, "bench", "mpi", "latency.c")], check=True)
for count in (2, 4, 8):
    for name, layer in (("shared memory", "self,vader"), ("TCP, loopback", "self,tcp")):
        done = subprocess.run(["mpirun", "-n", str(count), latency], env=dict(environment, OMPI_MCA_btl=layer, OMPI_MCA_mpi_yield_when_idle="1"),
                              capture_output=True, text=True, check=True)
        say(f"| {count} | {name} | " + " | ".join(done.stdout.split()[1:]) + " |")
say(f"\nLoad at the end: {os.getloadavg()[0]:.1f}.")
os.makedirs(os.path.join(root, "results"), exist_ok=True)
with open(os.path.join(root, "results", "bench_mpi.md"), "w") as f:
    f.write("\n".join(lines) + "\n")
