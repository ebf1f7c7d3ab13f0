#!/bin/sh
# scalable.sh DIR - ScalableTestSuite for N, 2N and 4N: seconds of the processor from text to the first step, megabytes, and
# microseconds per evaluation by the interpreter; exponents are of the last doubling. Prints a table in Markdown.
#
#   LIEDER=build/lieder ONLY=REGEX TIME_LIMIT=60 SCALE=1 scripts/scalable.sh DIR
#
# DIR holds ScalableTestSuite, Modelica and ModelicaServices (never part of this repository). A model of each family is made
# with the sizes below times SCALE, so that sizes go beyond those of the library. Evaluations are counted by Runge-Kutta steps
# that are far too short to move anything.
set -eu
dir=${1:?usage: scalable.sh DIR}
lieder=${LIEDER:-build/lieder}
limit=${TIME_LIMIT:-60}
scale=${SCALE:-1}
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT

# run STEPS OPTION...: "user-seconds megabytes", or what went wrong
run()
{
    steps=$1
    shift
    if /usr/bin/time -o "$work/time" -f '%U %M' timeout "$limit" "$lieder" simulate --library "$dir" -q --compile never \
        "$@" --stop-time "$(awk "BEGIN { print $steps * 1e-12 }")" --intervals 1 -o "$work/out.csv" \
        "$work/try.mo" --model Try >"$work/log" 2>&1; then
        awk 'END { print $1, $2 / 1024 }' "$work/time"
    elif grep -q 'error' "$work/log"; then
        echo "refused:" "$(grep -m 1 'error' "$work/log" | sed 's/.*error: //' | cut -c 1-70)"
    else
        echo "more than $limit s"
    fi
}

# family MODEL MODIFIER N: a row for N, 2N, 4N; the modifier has N in it
family()
{
    echo "$1" | grep -Eq "${ONLY:-.}" || return 0
    times= megabytes= micros= note=
    for k in 1 2 4; do
        n=$(($3 * k * scale))
        echo "model Try extends ScalableTestSuite.$1($(echo "$2" | sed "s/N = N/N = $n/")); end Try;" >"$work/try.mo"
        first=$(run 1 --step 1e-12 --solver "$solver")
        case $first in
        refused* | more*)
            note="N = $n: $first"
            break
            ;;
        esac
        few=$(run 100 --step 1e-12 --solver rk4)
        many=$(run 2100 --step 1e-12 --solver rk4)
        times="$times ${first% *}" megabytes="$megabytes ${first#* }"
        micros="$micros $(echo "$few $many" | awk '{ d = ($3 - $1) / 8000 * 1e6; print (d > 0 ? d : 0) }')"
    done
    echo "$times;$megabytes;$micros;$note" | awk -F ';' -v model="$1" -v n="$(($3 * scale))" '
        function list(text, format, a, m, i, s) {
            m = split(text, a, " ")
            for (i = 1; i <= m; i++) s = s (i > 1 ? " / " : "") sprintf(format, a[i])
            return s
        }
        function exponent(text, a, m) {
            m = split(text, a, " ")
            return m < 2 || a[m - 1] <= 0.02 || a[m] <= 0 ? "-" : sprintf("%.2f", log(a[m] / a[m - 1]) / log(2))
        }
        { sub(/.*\./, "", model)
          printf "| %s | %d | %s | %s | %s | %s | %s | %s |\n", model, n, list($1, "%.2f"), exponent($1), list($2, "%.0f"), exponent($2),
              list($3, "%.1f"), $4 ? $4 : exponent($3) }'
}

echo '| model | N | s to the first step at N, 2N, 4N | exponent | MB | exponent | us per evaluation | exponent |'
echo '|---|---|---|---|---|---|---|---|'
solver=${SOLVER:-bdf}
family Elementary.SimpleODE.Models.CascadedFirstOrder 'N = N' 1000
family Elementary.WhenEvents.Models.ManyEvents 'N = N, M = 10' 250
family Thermal.Advection.ScaledExperiments.SimpleAdvection_N_100 'N = N' 640
family Thermal.Advection.ScaledExperiments.AdvectionReaction_N_100 'N = N' 640
family Thermal.HeatConduction.ScaledExperiments.OneDHeatTransferTT_FD_N_10 'N = N' 640
family Thermal.HeatConduction.ScaledExperiments.OneDHeatTransferTI_FD_N_10 'N = N' 640
family Thermal.HeatConduction.ScaledExperiments.OneDHeatTransferTT_Modelica_N_10 'N = N' 320
family Thermal.HeatConduction.ScaledExperiments.OneDHeatTransferTI_Modelica_N_10 'N = N' 320
family Thermal.HeatExchanger.ScaledExperiments.CounterCurrentHeatExchangerEquations_N_10 'N = N' 640
family Thermal.HeatExchanger.ScaledExperiments.CocurrentHeatExchangerEquations_N_10 'N = N' 640
family Thermal.DistrictHeating.ScaledExperiments.HeatingSystem_N_5 'N = N' 160
family Electrical.TransmissionLine.ScaledExperiments.TransmissionLineEquations_N_10 'N = N' 640
family Electrical.TransmissionLine.ScaledExperiments.TransmissionLineModelica_N_10 'N = N' 160
family Electrical.DistributionSystemDC.ScaledExperiments.DistributionSystemModelica_N_10_M_10 'N = N, M = 10' 10
family Electrical.DistributionSystemAC.ScaledExperiments.DistributionSystemLinear_N_10_M_10 'N = N, M = 10' 10
family Electrical.BreakerCircuits.ScaledExperiments.BreakerNetwork_N_10_M_10 'N = N, M = 10' 10
family Mechanical.HarmonicOscillator.ScaledExperiments.HarmonicOscillator_N_100 'N = N' 640
family Mechanical.HarmonicOscillator.ScaledExperiments.HarmonicOscillatorNetwork_N_10 'N = N' 40
family Mechanical.Strings.ScaledExperiments.StringModelica_N_2 'N = N' 4
family Mechanical.FlexibleBeam.ScaledExperiments.FlexibleBeamModelica_N_2 'N = N' 4
family Power.ConceptualPowerSystem.ScaledExperiments.PowerSystemStepLoad_N_2_M_4 'N = N, M = 4' 8
