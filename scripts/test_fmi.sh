#!/bin/bash
# The tools of others on our FMUs. FMUSIM: the program fmusim of Reference-FMUs v0.0.39; FMPY: a folder with FMPy's sources (src/fmpy);
# SCHEMAS: a folder with fmi2ModelDescription.xsd and fmi3ModelDescription.xsd somewhere below. What is not given is left out, and said.
#   usage: scripts/test_fmi.sh [FMUSIM] [FMPY] [SCHEMAS]
set -u
cd "$(dirname "$0")/.."
lieder=${LIEDER:-build/lieder} fmusim=${1:-} fmpy=${2:-} schemas=${3:-}
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

# model file, stop time, step
while read -r model stop step; do
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
END
for tool in fmusim fmpy schemas; do [ -n "${!tool}" ] || echo "left out  ${tool^^} is not given"; done
echo "$done checks, $failed failed"
[ $failed = 0 ]
