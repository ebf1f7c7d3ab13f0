#!/bin/bash
# libraries.sh DIR - runs the examples of libraries that have reference results and writes docs/libraries.md.
#
# DIR holds the libraries as MODELICAPATH would (DIR/Modelica, DIR/ModelicaServices, DIR/Complex.mo,
# DIR/PlanarMechanics ...) and DIR/references: the result of the class A.B.C is references/A/B/C/C.csv, the
# variables that count, one a line, may stand beside it in comparisonSignals.txt. That is the layout of the
# reference results of the Modelica Association and of PlanarMechanics. Neither is part of this project.
#
# Each example runs for at most TIME_LIMIT seconds (60), JOBS at a time, and is compared by `lieder compare`:
# rectangle tube, tolerance 2e-3. ONLY=PATTERN runs the classes that match and writes no document.
set -u
LIBRARIES=$(cd "${1:?usage: libraries.sh DIR}" && pwd) || exit 2
cd "$(dirname "$0")/.." || exit 2
export LIBRARIES LIEDER=${LIEDER:-$PWD/build/lieder} TIME_LIMIT=${TIME_LIMIT:-60}
WORK=$(mktemp -d) || exit 2
export WORK
trap 'rm -rf "$WORK"' EXIT

# examples whose motion is chaotic are compared on their first part: class and seconds
until_of() {
    case $1 in
    *) echo "" ;;
    esac
}

# what is known about examples that leave the tube or fail
note_of() {
    case $1 in
    *.RobotR3.OneAxis) echo " (true in one pass of an event)" ;;
    *.DoublePendulumInitTip) echo " (the end of a motion that doubles errors several times a second; a finer tolerance gives our numbers)" ;;
    *.InitializationConversion.Rotor1D) echo " (an oscillation without damping; a finer tolerance gives our numbers)" ;;
    *.FourbarVariants.JointUSR) echo " (a tolerance of 1e-8 is inside)" ;;
    *.Parts.Rotor1D.Rotor1D_1) echo " (numbers of the body that is the root of the orientations, which each tool chooses; motion is inside)" ;;
    *.ThyristorBridge2mPulse_R*) echo " (an event at the stop time itself, which the reference has after it)" ;;
    *.ForceCurrentBehaviour) echo " (flux over current in the instant in which both are zero)" ;;
    *.SMPM_Braking) echo " (a tolerance of 1e-9 gives our numbers)" ;;
    *.EngineGasForce) echo " (the variable is not part of the model today)" ;;
    *.Visualizers.*) echo " (Integer parameters that decide sizes are not recorded)" ;;
    *.HysteresisModelComparison) echo " (the tolerance of 1e-5 that the model asks for is too coarse, which the run says; with 1e-6, as the reference was made, it is inside)" ;;
    *.Vessels.TestSimpleTank) echo " (the reference is of an older text, with an empty tank and a port at its bottom; both begin at 1 mm today, and levels differ by that)" ;;
    *.MediaTestModels.Incompressible.* | *.MediaTestModels.Water.ConstantPropertyLiquidWater) echo " (the reference is of an older text: with 1e9 Pa for dp_nominal of the pipe, 1e6 today, all variables are inside)" ;;
    *.Machines.Examples.SynchronousMachines.SMPM_CurrentSource) echo " (a current that is preferred as a state is imposed, so that it does not decide the angle)" ;;
    *_usertab) echo " (its table is a function in C)" ;;
    *) echo "" ;;
    esac
}

# rows as far apart as those of the reference, which its log tells, if there are enough; else as many, 1000 at least;
# and its stop time, which may be another one than that of the model today (DifferenceAmplifier)
rows_of() {
    local interval stop
    stop=$(sed -n 's/^StopTime *= *\([0-9.eE+-]*\).*/\1/p' "$(dirname "$1")/creation.txt" 2>/dev/null | head -1)
    interval=$(sed -n 's/^Interval *= *\([0-9.eE+-]*\).*/\1/p' "$(dirname "$1")/creation.txt" 2>/dev/null | head -1)
    awk -F, -v interval="${interval:-0}" '
        NR == 2 { first = $1 }
        END {
            n = interval > 0 ? ($1 - first) / interval : 0
            if (n >= 100) print "--interval " interval
            else print "--intervals " (NR > 1000 ? NR : 1000)
        }' "$1"
    [ -z "$stop" ] || echo "--stop-time $stop"
}

# the first error of a log, without folders and without what follows the first line
reason_of() {
    grep -m1 -E 'error:' "$1" | sed -e "s,$LIBRARIES/,,g" -e 's/^lieder: //' -e 's/:[0-9]*: error: /: /' -e 's/^error: //' \
        -e 's/|/\\|/g' | cut -c1-220
}

# the variables to record: those that are compared, as one pattern; all where there is no list; a list
# may name none but time
record_of() {
    [ -f "$1" ] || { echo '.*'; return; }
    grep -v '^time$' "$1" | tr -d '\r' | sed -e 's/[][().*+?^$|{}\\]/\\&/g' | paste -sd '|'
}

# one line "class TAB verdict TAB why" for one reference
run_example() {
    local reference=$1 folder class signals until code why
    folder=$(dirname "$reference")
    class=$(echo "${folder#"$LIBRARIES/references/"}" | tr / .)
    signals=$folder/comparisonSignals.txt
    until=$(until_of "$class")
    local log=$WORK/$class.log result=$WORK/$class.csv
    local rows record
    record=$(record_of "$signals")
    for rows in "$(rows_of "$reference")" "--intervals 1000"; do
        timeout -k 2 "$TIME_LIMIT" "$LIEDER" simulate --library "$LIBRARIES" --model "$class" \
            $rows ${record:+--record "$record"} --quiet --output "$result" >"$log" 2>&1
        code=$?
        # the model may end long before the reference: then its rows are too far apart
        [ $code = 0 ] && [ "$(wc -l <"$result")" -lt 100 ] || break
    done
    if [ $code = 124 ] || [ $code = 137 ]; then
        printf '%s\ttime\tmore than %s s\n' "$class" "$TIME_LIMIT"
    elif [ $code -gt 4 ]; then
        printf '%s\tcrash\texit status %s\n' "$class" "$code"
    elif [ $code = 1 ]; then
        printf '%s\trefused\t%s\n' "$class" "$(reason_of "$log")$(note_of "$class")"
    elif [ $code != 0 ]; then
        printf '%s\tfailed\t%s\n' "$class" "$(reason_of "$log")$(note_of "$class")"
    elif [ -z "$record" ]; then
        printf '%s\tinside\t%s\n' "$class" "it runs, the reference compares no variable"
    else
        [ -f "$signals" ] || signals=
        if "$LIEDER" compare "$reference" "$result" --quiet ${signals:+--signals "$signals"} ${until:+--until "$until"} \
            >"$log" 2>&1; then
            printf '%s\tinside\t%s\n' "$class" "${until:+first $until s}"
        else
            why=$(head -1 "$log")
            printf '%s\toutside\t%s\n' "$class" "$(tail -1 "$log"): $why$(note_of "$class")"
        fi
    fi
    rm -f "$result"
}
export -f run_example reason_of until_of note_of rows_of record_of

# the library that a class belongs to, as a heading
library_of() {
    sed -E 's/^(Modelica\.(Mechanics|Electrical|Thermal|Magnetic)\.[^.]*|Modelica\.[^.]*|[^.]*)\..*/\1/' <<<"$1"
}

find -L "$LIBRARIES/references" -name '*.csv' | grep -E "${ONLY:-.}" | sort >"$WORK/list"
xargs -P "${JOBS:-$(nproc)}" -I{} bash -c 'run_example "$1"' _ {} <"$WORK/list" | sort >"$WORK/verdicts"

if [ -n "${ONLY:-}" ]; then
    cat "$WORK/verdicts"
else
    while IFS=$'\t' read -r class verdict why; do
        printf '%s\t%s\t%s\t%s\n' "$(library_of "$class")" "$class" "$verdict" "$why"
    done <"$WORK/verdicts" >"$WORK/rows"
    machine="$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -1), $(nproc) cores, ${JOBS:-$(nproc)} example(s) at a time, load $(cut -d' ' -f3 /proc/loadavg)"
    # versions of the libraries, and examples whose results are not in DIR
    versions=$(cd "$LIBRARIES" && for l in $(ls references); do
        printf '%s %s\n' "$l" "$(sed -n 's/.*[( ]version *= *"\([^"]*\)".*/\1/p; s/^ *version *= *"\([^"]*\)".*/\1/p' "$l/package.mo" 2>/dev/null | head -1)"
    done | paste -sd ',' | sed 's/,/, /g')
    absent=$(cd "$LIBRARIES/references" && find -L . -name comparisonSignals.txt | while read -r f; do
        ls "${f%/*}"/*.csv >/dev/null 2>&1 || echo "${f%/*}"
    done | sed -e 's,^\./,,' -e 's,/,.,g' | sort | paste -sd ' ')
    awk -F'\t' -v versions="$versions" -v absent="$absent" -v limit="$TIME_LIMIT" -v machine="$machine" -f scripts/libraries.awk "$WORK/rows" >docs/libraries.md
    sed -n '/^| library/,/^$/p' docs/libraries.md
fi
