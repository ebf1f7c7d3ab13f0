#!/bin/bash
# The tools of others on our FMUs. FMUSIM: the program fmusim of Reference-FMUs v0.0.39; FMPY: a folder with FMPy's sources (src/fmpy);
# SCHEMAS: a folder with fmi2ModelDescription.xsd and fmi3ModelDescription.xsd somewhere below; FMUS: a folder of Reference FMUs, built, each
# version in a folder of its own below, which run in ours and in fmusim. What is not given is left out, and said.
#   usage: scripts/test_fmi.sh [FMUSIM] [FMPY] [SCHEMAS] [FMUS]
set -u
cd "$(dirname "$0")/.."
lieder=${LIEDER:-build/lieder} fmusim=${1:-} fmpy=${2:-} schemas=${3:-} fmus=${4:-}
python=/usr/bin/python3
folder=$(mktemp -d) failed=0 done=0
trap 'rm -rf "$folder"' EXIT

say() { printf '%-8s %s\n' "$1" "$2"; done=$((done + 1)); [ "$1" = ok ] || failed=$((failed + 1)); }
check() { local what=$1; shift; if "$@" > "$folder/log" 2>&1; then say ok "$what"; else say FAILED "$what"; sed 's/^/    /' "$folder/log" | head -20; fi; }

# the schema of a version below SCHEMAS
schema() { find "$schemas" -name "fmi$1ModelDescription.xsd" | head -1; }
# FMPy's rules; its answer is a list of problems
rules() { PYTHONPATH="$fmpy/src:$fmpy" $python -c 'import sys
from fmpy.validation import validate_fmu
problems = validate_fmu(sys.argv[1])
print("\n".join(problems))
sys.exit(bool(problems))' "$1"; }
# two results at their last row, states by name: largest difference relative to 1 + |value|
differ() { $python -c 'import csv, sys
def last(path):
    rows = list(csv.reader(open(path)))
    return dict(zip([n.strip("\"") for n in rows[0]], map(float, rows[-1])))
a, b, most = last(sys.argv[1]), last(sys.argv[2]), float(sys.argv[3])
names = [n for n in a if n in b]
worst = max((abs(a[n] - b[n]) / (1 + abs(b[n])) for n in names), default=1)
print(len(names), "variables, worst", worst)
sys.exit(worst > most or len(names) < 2)' "$1" "$2" "$3"; }

# the same bits in all variables that both results have; those with texts and arrays in one column are left out
compare_outputs() { $python -c 'import csv, sys
def last(path):
    rows = list(csv.reader(open(path)))
    return {n.strip("\""): v for n, v in zip(rows[0], rows[-1])}
a, b = last(sys.argv[1]), last(sys.argv[2])
names = [n for n in a if n in b and n != "time" and b[n].replace(".", "").replace("-", "").replace("e", "").replace("+", "").isdigit()]
wrong = [n for n in names if float(a[n]) != float(b[n])]
print(len(names), "variables; wrong:", wrong, [(a[n], b[n]) for n in wrong])
sys.exit(bool(wrong) or (not names and "[" not in "".join(a)))' "$1" "$2"; }

# the FMU without its co-simulation; false: it has no model exchange
exchange() { $python -c 'import re, sys, zipfile
source = zipfile.ZipFile(sys.argv[1])
text = source.read("modelDescription.xml").decode()
if "<ModelExchange" not in text:
    sys.exit(1)
text = re.sub(r"<CoSimulation\b[^>]*?(/>|>.*?</CoSimulation>)", "", text, flags=re.S)
with zipfile.ZipFile(sys.argv[2], "w") as to:
    for name in source.namelist():
        to.writestr(name, text if name == "modelDescription.xml" else source.read(name))' "$1" "$2"; }

# a result of others against ours at its times, relative to the range of the variable; where it has two rows at an event the nearer one counts, and
# times that ours does not have are passed over, as is the last one, where an event may be left out; arrays in one column are left out
compare_curves() { $python -c 'import bisect, csv, sys
def table(path):
    rows = list(csv.reader(open(path)))
    return [n.strip("\"") for n in rows[0]], rows[1:]
def number(text):
    return {"true": 1.0, "false": 0.0}[text.lower()] if text.lower() in ("true", "false") else float(text)
names, rows = table(sys.argv[1])
times = [float(r[0]) for r in rows]
theirs, reference = table(sys.argv[2])
worst, seen, compared = 0, 0, 0
for name in theirs[1:]:
    column = theirs.index(name)
    if name not in names or " " in reference[0][column].strip():
        continue
    values = [(float(r[0]), number(r[column])) for r in reference]
    span = max(v for _, v in values) - min(v for _, v in values) or 1
    seen += 1
    near = {}
    for t, v in (p for p in values if p[0] < values[-1][0] - 1e-9):
        k = bisect.bisect_left(times, t - 1e-6)
        for i in range(k, len(times)):
            if times[i] > t + 1e-6:
                break
            off = abs(float(rows[i][names.index(name)]) - v) / span
            near[round(t, 5)] = min(off, near.get(round(t, 5), off))
    compared += len(near)
    worst = max([worst, *near.values()])
print(seen, "variables,", compared, "values, worst", worst)
sys.exit(worst > 0.01 or (compared == 0 and not any("[" in n for n in names)))' "$1" "$2"; }

# model file, stop time, step; events: at the ends of steps in co-simulation, at their own times in model exchange
while read -r model stop step events; do
    name=$(basename "$model" .mo)
    for version in 2 3; do
        fmu=$folder/$name$version.fmu
        check "$name, FMI $version: export" "$lieder" export "$model" --fmi $version --step "$step" --solver rk4 -o "$fmu"
        [ -r "$fmu" ] || continue
        unzip -p "$fmu" modelDescription.xml > "$folder/md.xml"
        if [ -n "$schemas" ]; then
            check "$name, FMI $version: schema" xmllint --noout --schema "$(schema $version)" "$folder/md.xml"
        fi
        if [ -n "$fmpy" ]; then
            check "$name, FMI $version: FMPy's rules" rules "$fmu"
        fi
        [ -n "$fmusim" ] || continue
        "$lieder" simulate "$model" --solver rk4 --step "$step" --stop-time "$stop" --interval 0.01 -q -o "$folder/own.csv"
        # states of the model, as variables of the FMU
        mapfile -t states < <(head -1 "$folder/own.csv" | tr ',' '\n' | tr -d '"' | grep -v -e '^time$' -e '^der(' -e '\[')
        outputs=(); for s in "${states[@]}"; do outputs+=(--output-variable "$s"); done
        for kind in cs me; do
            solver=(); most=0
            [ $kind = me ] && { solver=(--solver cvode --tolerance 1e-9); most=1e-4; }
            [ $kind = me ] && [ -n "$events" ] && "$lieder" simulate "$model" --tolerance 1e-9 --stop-time "$stop" --interval 0.01 -q -o "$folder/own.csv"
            check "$name, FMI $version: fmusim, $kind" "$fmusim" --interface-type $kind "${solver[@]}" --stop-time "$stop" --output-interval 0.01 \
                --output-file "$folder/$kind.csv" "${outputs[@]}" "$fmu"
            check "$name, FMI $version: $kind as lieder simulate" differ "$folder/$kind.csv" "$folder/own.csv" $most
        done
    done
done << 'END'
models/crane_crab.mo 2 1e-3
models/equations/van_der_pol.mo 2 1e-3
models/equations/drive_train.mo 1 1e-4
models/papers/001/limited_joint.mo 0.5 1e-5
models/equations/bouncing_ball.mo 2 1e-3 events
models/papers/phenomena/breaking_thread.mo 1 1e-3 events
models/machines/buck.mo 0.002 2e-6 events
models/machines/elevator.mo 2 1e-4 events
models/machines/gantry.mo 2 1e-4 events
models/machines/press.mo 2 1e-4 events
END
# Reference FMUs in ours: outputs at the end as fmusim has them
[ -n "$fmusim" ] && [ -n "$fmus" ] && for fmu in $(find -L "$fmus" -name '*.fmu' | grep -E '/(BouncingBall|Dahlquist|Feedthrough|Resource|Stair|StateSpace|VanDerPol)\.fmu$' | sort); do
    name=$(basename "$fmu" .fmu) version=$(unzip -p "$fmu" modelDescription.xml | grep -o 'fmiVersion="[0-9]' | grep -o '[0-9]')
    printf 'model M\n  FMU f(file = "%s");\n  annotation(experiment(StopTime = 1));\nend M;\n' "$(realpath "$fmu")" > "$folder/m.mo"
    check "$name, FMI $version: in a model of ours" "$lieder" simulate "$folder/m.mo" --interval 0.1 --step 0.1 -q --record '.*fmu.*\.y' -o "$folder/own.csv"
    # f.fmu1_3_v.y and f.fmu1_3_y[2].y become v and y[2]
    sed -i -e '1s/f\.fmu1_[0-9]*_\([A-Za-z0-9_]*\)\(\[[0-9]*\]\)\?\.y/\1\2/g' "$folder/own.csv"
    check "$name, FMI $version: fmusim" "$fmusim" --interface-type cs --stop-time 1 --output-interval 0.1 --output-file "$folder/ref.csv" "$fmu"
    check "$name, FMI $version: as fmusim" compare_outputs "$folder/own.csv" "$folder/ref.csv"
done
# and as the results that are published with them say, over their whole time, in steps of theirs
[ -n "$fmus" ] && for out in $(find -L "$fmus" -name '*_out.csv' | grep -v Feedthrough | sort); do # that one has inputs
    name=$(basename "$out" _out.csv)
    for fmu in $(find -L "$fmus" -name "$name.fmu" | sort); do
        version=$(unzip -p "$fmu" modelDescription.xml | grep -o 'fmiVersion="[0-9]' | grep -o '[0-9]')
        read -r step stop < <($python -c 'import csv, sys
t = [float(r[0]) for r in list(csv.reader(open(sys.argv[1])))[1:]]
print(min(b - a for a, b in zip(t, t[1:]) if b > a), t[-1])' "$out")
        printf 'model M\n  FMU f(file = "%s");\n  annotation(experiment(StopTime = %s));\nend M;\n' "$(realpath "$fmu")" "$stop" > "$folder/m.mo"
        check "$name, FMI $version: published result, run" "$lieder" simulate "$folder/m.mo" --interval "$step" --step "$step" -q --record '.*fmu.*\.y' -o "$folder/own.csv"
        sed -i -e '1s/f\.fmu1_[0-9]*_\([A-Za-z0-9_]*\)\(\[[0-9]*\]\)\?\.y/\1\2/g' "$folder/own.csv"
        check "$name, FMI $version: as the published result" compare_curves "$folder/own.csv" "$out"
        # model exchange with our steps against CVODE; the published results are Euler's
        [ -n "$fmusim" ] && exchange "$fmu" "$folder/exchange.fmu" || continue
        "$fmusim" --interface-type me --solver cvode --tolerance 1e-8 --stop-time "$stop" --output-interval "$step" --output-file "$folder/ref.csv" "$fmu"
        sed -i -e "s|file = \".*\"|file = \"$folder/exchange.fmu\"|" "$folder/m.mo"
        check "$name, FMI $version: model exchange, run" "$lieder" simulate "$folder/m.mo" --interval "$step" --step "$step" -q --record '.*fmu.*\.y' -o "$folder/own.csv"
        sed -i -e '1s/f\.fmu1_[0-9]*_\([A-Za-z0-9_]*\)\(\[[0-9]*\]\)\?\.y/\1\2/g' "$folder/own.csv"
        check "$name, FMI $version: model exchange as fmusim" compare_curves "$folder/own.csv" "$folder/ref.csv"
    done
done
for tool in fmusim fmpy schemas fmus; do [ -n "${!tool}" ] || echo "left out  ${tool^^} is not given"; done
echo "$done checks, $failed failed"
[ $failed = 0 ]
