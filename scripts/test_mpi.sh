#!/bin/bash
# lieder-mpi with 1 to 4 ranks against lieder: the same files to the byte, the same exit codes, whatever the split; ranks that
# fail, are killed or interrupted. Ranks share processors here, so that they yield. Used by make test-mpi.
set -u
cd "$(dirname "$0")/.." || exit 1
source_dir=$PWD lieder=$PWD/build/lieder ranks=$PWD/build/lieder-mpi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_rmaps_base_oversubscribe=1
# two ranks would have a processor each, and wait for whatever else runs there
export OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_btl=self,vader OMPI_MCA_orte_abort_print_stack=0 XDG_CACHE_HOME=$work/cache
number=0 failed=0

# a test by its name; the commands before it have left 0 in $? if it passed
check()
{
    local status=$?
    number=$((number + 1))
    if [ $status = 0 ]; then
        echo "  passed  $*"
    else
        echo "  FAILED  $*"
        failed=$((failed + 1))
    fi
}

# N ranks of a program, what they say in out and err
start()
{
    local n=$1
    shift
    timeout 100 mpirun --oversubscribe -n "$n" "$@" > out 2> err
}

# the version of the superblock: 2 of files that ranks write together, 3 of those of one process
h5_version()
{
    [ "$(od -An -tu1 -j8 -N1 "$1" | tr -d ' ')" = "$2" ]
}

# ---------------------------------------------------------------- models
cat > fleet.mo <<'M'
model Fleet
  parameter Integer n = 23;
  inner Dialectic.World world;
  Dialectic.Examples.CraneCrab crab[n](cart(m = {1 + 0.1*mod(i, 10) for i in 1:n}), revolute(phi(start = {0.02*i for i in 1:n})));
end Fleet;
M
{
    cat "$source_dir/models/circuit.mo"
    echo 'model Fleet Circuit x[7](Vforward = {0.1*i for i in 1:7}); end Fleet;'
} > diodes.mo
{
    cat "$source_dir/models/papers/phenomena/hard_contact.mo"
    echo 'model Fleet parameter Integer n = 7; HardContact x[n](flight(y(start = {0.11 + 0.005*i for i in 1:n})), c = fill(1e5, n)); end Fleet;'
} > contacts.mo
cat > grows.mo <<'M'
model Grows parameter Real a = 0; Real x(start = 1); equation der(x) = a*x*x; end Grows;
M
cat > breaks.mo <<'M'
model Grows parameter Real a = 0; Real x(start = 1); equation der(x) = a*x*x; end Grows;
model Fleet Grows g[23](a = {if i == 17 then 2.5 else 0.1 for i in 1:23}); end Fleet;
M

# ---------------------------------------------------------------- who is who
start 2 "$lieder" simulate fleet.mo
[ $? = 2 ] && [ "$(grep -c 'make mpi' err)" = 1 ]
check "lieder, started by mpirun, says once what to build"
start 3 "$ranks" simulate nothing.mo
[ $? = 4 ] && [ "$(grep -c 'cannot read nothing.mo' err)" = 1 ]
check "a file that is not there: said once, exit code 4"
start 3 "$ranks" simulate fleet.mo --override crab.cart.m=-1
[ $? = 1 ] && [ "$(grep -c 'must be' err)" -ge 1 ]
check "a wrong number of a model: exit code 1"
start 2 "$ranks" simulate fleet.mo --no-such-option
[ $? = 2 ] && [ "$(grep -c 'no-such-option' err)" = 1 ]
check "a wrong option: said once, exit code 2"

# ---------------------------------------------------------------- fleets
# same NAME ARGUMENTS...: the result of simulate on 1 ... 4 ranks is that of lieder
same()
{
    local name=$1 n
    shift
    "$lieder" simulate "$@" -q -o one.csv > out 2>&1 || cat out
    for n in 1 2 3 4; do
        rm -f many.csv
        start $n "$ranks" simulate "$@" -q -o many.csv && cmp one.csv many.csv
        check "$name, $n ranks"
    done
}
same "rk4" fleet.mo --solver rk4 --step 1e-3 --stop-time 0.3 --record '.*'
same "bdf" fleet.mo --solver bdf --tolerance 1e-4 --stop-time 0.1
same "rodas4 with diodes" diodes.mo --model Fleet --solver rodas4 --clocks shared --tolerance 1e-3 --stop-time 5e-6
same "bdf with contacts" contacts.mo --model Fleet --solver bdf --tolerance 1e-4 --stop-time 0.08
same "clocks of their own, the default with events" contacts.mo --model Fleet --override "n=20" --stop-time 0.08
same "rk45 with clocks of their own" fleet.mo --solver rk45 --tolerance 1e-6 --stop-time 0.2
same "rk45 with one clock" fleet.mo --solver rk45 --clocks shared --tolerance 1e-4 --stop-time 0.1
same "backward Euler, more ranks than lanes" fleet.mo --override n=2 --solver euler-backward --step 1e-3 --stop-time 0.1
same "two threads each" fleet.mo --override n=500 --solver rk4 --step 1e-3 --stop-time 0.1 --threads 2 --record '.*\[(1|250|500)\].*'
"$lieder" simulate fleet.mo --solver rk4 --step 1e-3 --stop-time 0.1 -q -o one.mat
start 3 "$ranks" simulate fleet.mo --solver rk4 --step 1e-3 --stop-time 0.1 -q -o many.mat && cmp one.mat many.mat
check "rows of all ranks in one .mat file"
"$lieder" simulate fleet.mo --solver rk4 --step 1e-3 --stop-time 0.1 -q -o one.h5
start 3 "$ranks" simulate fleet.mo --solver rk4 --step 1e-3 --stop-time 0.1 -q -o many.h5 && "$lieder" compare one.h5 many.h5 > out 2>&1
check "rows of all ranks in one .h5 file"
# from 4096 columns on all ranks write: 8 of 1000 crabs, which 3 ranks do not share evenly
wide="simulate fleet.mo --override n=1000 --solver rk4 --step 1e-3 --stop-time 0.02 --interval 1e-3 --record .*(cart|prismatic|revolute).[a-z]*"
set -f
"$lieder" $wide -q -o one.h5
for n in 2 3 4; do
    start $n "$ranks" $wide -o many.h5 -q && "$lieder" compare one.h5 many.h5 > out 2>&1 && h5_version many.h5 2
    check "a wide .h5 file, written by $n ranks together"
done
start 3 "$ranks" ${wide/n=1000/n=1001} -q -o /nowhere/many.h5
[ $? = 4 ] && [ "$(grep -c 'cannot write results' err)" = 1 ]
check "a wide .h5 file where nobody may write: said once, exit code 4"
sed 's/23/5000/g' breaks.mo > wide_breaks.mo
"$lieder" simulate wide_breaks.mo --model Fleet --solver rk4 --step 1e-2 --stop-time 2 --record .*x -q -o one.h5 > /dev/null 2>&1
start 3 "$ranks" simulate wide_breaks.mo --model Fleet --solver rk4 --step 1e-2 --stop-time 2 --record .*x -q -o many.h5
[ $? = 3 ] && [ "$(grep -c 'g\[17\]' err)" -ge 1 ] && "$lieder" compare one.h5 many.h5 > out 2>&1 && h5_version many.h5 2
check "a lane that fails, and a wide .h5 file: exit code 3, the same rows"
set +f

# ---------------------------------------------------------------- failures
"$lieder" simulate breaks.mo --model Fleet --solver rk4 --step 1e-2 --stop-time 2 -q -o one.csv > /dev/null 2> expected
start 3 "$ranks" simulate breaks.mo --model Fleet --solver rk4 --step 1e-2 --stop-time 2 -q -o many.csv
[ $? = 3 ] && cmp one.csv many.csv && [ "$(grep -c 'g\[17\]' err)" = "$(grep -c 'g\[17\]' expected)" ]
check "a lane that fails: named once, exit code 3, the same rows"

cat > keeps.mo <<'M'
model P parameter Real w = 0; Real x(start = 1), y(start = 0), vx, vy(start = w), F;
equation der(x) = vx; der(y) = vy; der(vx) = -F*x; der(vy) = -F*y - 9.81; x^2 + y^2 = 1; end P;
model Fleet P p[7](w = {i for i in 1:7}); end Fleet;
M
"$lieder" simulate keeps.mo --model Fleet --solver rk4 --step 0.2 --stop-time 10 -q -o one.csv > /dev/null 2> expected
start 3 "$ranks" simulate keeps.mo --model Fleet --solver rk4 --step 0.2 --stop-time 10 -q -o many.csv
[ $? = 3 ] && cmp one.csv many.csv && [ "$(grep -c 'a constraint is off' err)" = 1 ] && grep -q 'p\[7\]' err
check "a constraint that comes apart on one rank: told once with its lane, exit code 3, the same rows"

# ---------------------------------------------------------------- state files
halves()
{
    rm -f state
    $1 simulate fleet.mo --solver "$3" $4 --stop-time 0.2 --checkpoint state -q -o first.csv > out 2>&1 &&
        $2 simulate fleet.mo --solver "$3" $4 --stop-time 0.4 --resume state -q -o second.csv > out 2>&1
}
mpi2="mpirun --oversubscribe -n 2 $ranks" mpi3="mpirun --oversubscribe -n 3 $ranks"
for solver in rk4 bdf; do
    step=$([ $solver = rk4 ] && echo --step 1e-3)
    halves "$lieder" "$lieder" $solver "$step" && mv second.csv expected.csv && cp state state_one
    halves "$mpi2" "$mpi3" $solver "$step" && cmp second.csv expected.csv && cmp state state_one
    check "$solver: a state file of 2 ranks goes on with 3"
    halves "$mpi3" "$lieder" $solver "$step" && cmp second.csv expected.csv
    check "$solver: a state file of 3 ranks goes on with one process"
done
# A scheduler or Ctrl-C ends the job. mpirun makes of SIGINT, SIGTERM and SIGHUP a SIGTERM for all ranks a second later, and says 1; SIGUSR1 it hands
# on as it is. A shell starts what stays in the background deaf to SIGINT, so that it is made to hear first.
hearing='import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); os.execvp(sys.argv[1], sys.argv[1:])'
# interrupted SIGNAL WHOM CODE FILE COMMAND...: two ranks, WHOM (mpirun or rank) gets the signal when FILE has begun
interrupted()
{
    local signal=$1 whom=$2 code=$3 file=$4 job pid
    shift 4
    rm -f "$file" state
    python3 -c "$hearing" mpirun --oversubscribe -n 2 "$ranks" "$@" > out 2> err &
    job=$!
    for _ in $(seq 200); do
        sleep 0.1
        [ -s "$file" ] && break
    done
    sleep 0.5
    pid=$job
    [ "$whom" = rank ] && pid=$(pgrep -P $job | tail -1)
    kill -"$signal" "$pid"
    wait $job
    [ $? = "$code" ] && [ "$(grep -c 'interrupted a' err)" = 1 ] && ! pgrep -f "$ranks $*" > /dev/null
}
long_fleet="simulate fleet.mo --override n=3000 --solver rk4 --step 1e-4 --interval 10 --record .*\[7\].* -q --checkpoint state"
set -f
for case in "TERM rank 130" "USR1 mpirun 130" "INT mpirun 1" "TERM mpirun 1"; do
    interrupted $case long.csv $long_fleet --stop-time 4000 -o long.csv && [ -s state ]
    check "SIG${case% *}: all ranks end with the state file written, exit code ${case##* }"
done
t=$(sed -n 's/.*interrupted at t = \([0-9.e+]*\) s.*/\1/p' err)
start 3 "$ranks" $long_fleet --resume state --stop-time "$(python3 -c "print($t + 0.5)")" -o more.csv &&
    "$lieder" ${long_fleet/--checkpoint state/} --stop-time "$(python3 -c "print($t + 0.5)")" -o one.csv && cmp <(tail -1 one.csv) <(tail -1 more.csv)
check "and the run goes on from there with 3 ranks: the bits of one that nobody interrupted"
set +f

# ---------------------------------------------------------------- sweeps
sweep="sweep $source_dir/models/crane_crab.mo --vary cart.m=1:3:37 --vary revolute.phi=0.5,1,1.5 --solver rk4 --step 1e-3 --stop-time 1"
"$lieder" $sweep -q -o one.csv
for n in 1 2 3 4; do
    rm -f many.csv
    start $n "$ranks" $sweep -q -o many.csv && cmp one.csv many.csv && [ ! -e many.csv.kept ]
    check "a sweep, $n ranks"
done
start 2 "$ranks" $sweep --threads 2 -q -o many.csv && cmp one.csv many.csv
check "a sweep, 2 ranks of 2 threads"
"$lieder" sweep "$source_dir/models/crane_crab.mo" --vary cart.m=1:3:7 --summary -q -o one.csv
start 3 "$ranks" sweep "$source_dir/models/crane_crab.mo" --vary cart.m=1:3:7 --summary -q -o many.csv && cmp one.csv many.csv
check "a summary of runs with adaptive steps, 3 ranks"
"$lieder" sweep grows.mo --vary a=0.1:2:20 --solver rk4 --step 1e-2 --stop-time 1 -q -o one.csv > /dev/null 2> expected
start 3 "$ranks" sweep grows.mo --vary a=0.1:2:20 --solver rk4 --step 1e-2 --stop-time 1 -q -o many.csv
[ $? = 3 ] && cmp one.csv many.csv && cmp <(grep -v mpirun err | grep member) <(grep member expected)
check "members that fail: the same words and rows, exit code 3"
# a process dies
long="sweep $source_dir/models/crane_crab.mo --vary cart.m=1:3:240 --stop-time 60 --tolerance 1e-8 --intervals 20"
"$lieder" $long --threads 2 -q -o one.csv
mpirun --oversubscribe -n 3 "$ranks" $long -q -o many.csv > out 2> err &
job=$!
for _ in $(seq 200); do
    sleep 0.05
    [ "$(stat -c %s many.csv.kept 2> /dev/null || echo 0)" -gt 30000 ] && break
done
kill -9 "$(pgrep -f "$ranks $long" -P $job | tail -1)"
wait $job
[ $? != 0 ] && [ -s many.csv.kept ]
check "a rank is killed: the job ends, finished members are kept"
cp many.csv.kept kept
start 2 "$ranks" $long --resume -o many.csv && cmp one.csv many.csv && [ ! -e many.csv.kept ] && grep -q 'finished already' err
check "--resume with another number of ranks: the file of one process"
cp kept many.csv.kept
"$lieder" $long --resume -o many.csv > out 2> err && cmp one.csv many.csv && grep -q 'finished already' err
check "--resume with one process: the same"
head -c $(($(stat -c %s kept) - 100)) kept > many.csv.kept
"$lieder" $long --resume -q -o many.csv > out 2> err && cmp one.csv many.csv
check "--resume after an entry that was cut: the same"
cp kept many.csv.kept
"$lieder" ${long/stop-time 60/stop-time 61} --resume -q -o many.csv > out 2> err
[ $? = 2 ] && grep -q 'another sweep' err
check "--resume of another sweep is refused"
interrupted INT mpirun 1 many.csv.kept ${long/:240/:2400} -q -o many.csv && [ -s many.csv.kept ]
check "Ctrl-C at mpirun in a sweep: finished members are kept"

# ---------------------------------------------------------------- nets
# numbers of two result files differ by no more than rounding leaves: 1e-10
near()
{
    python3 - "$1" "$2" <<'P'
import sys
a, b = (open(f).read().splitlines() for f in sys.argv[1:])
worst = max((abs(float(x) - float(y)) / (1 + abs(float(y)))
             for p, q in zip(a[1:], b[1:]) for x, y in zip(p.split(","), q.split(","))), default=1)
sys.exit(a[0] != b[0] or len(a) != len(b) or worst > 1e-10)
P
}
ends()
{
    head -1 "$1"
    tail -1 "$1"
}
net="simulate $source_dir/models/scale/Net.mo --override n=20"
for options in "--solver rk4 --step 2e-3 --stop-time 0.02" "--stop-time 0.02 --record (body|weft).*|along_y.*s"; do
    set -f
    "$lieder" $net $options -q -o one.csv
    for n in 1 2 3 4; do
        rm -f many.csv
        start $n "$ranks" $net $options -q -o many.csv && near one.csv many.csv
        check "a net of 20 x 20, ${options:0:15}, $n ranks"
    done
    set +f
done
{
    cat "$source_dir/models/equations/OwnMechanics.mo"
    sed 's/Dialectic\.Planar\.\(Prismatic\|Body\|SpringDamper\)/OwnMechanics.\1/' "$source_dir/models/scale/Net.mo"
} > own_net.mo
"$lieder" simulate own_net.mo --override n=12 --solver rk4 --step 2e-3 --stop-time 0.02 -q -o one.csv
start 3 "$ranks" simulate own_net.mo --override n=12 --solver rk4 --step 2e-3 --stop-time 0.02 -q -o many.csv && near one.csv many.csv
check "a net whose joints, bodies and springs are classes of the model's text, 3 ranks"
start 3 "$ranks" $net --solver rk4 --step 2e-3 --stop-time 0.02 -q -o first.csv &&
    start 3 "$ranks" $net --solver rk4 --step 2e-3 --stop-time 0.02 -q -o second.csv && cmp first.csv second.csv
check "a net twice on 3 ranks: the same bits"
timeout 200 "$source_dir/bench/mpi/large_net.py" 250 3 2 > out 2> err
check "bodies of a net of 250 x 250 on 3 ranks are where one process with a window around each finds them"
start 2 "$ranks" $net --solver rk4 --step 2e-3 --stop-time 0.02 --record 'fixed.*' -o many.csv
[ $? = 0 ] && [ "$(grep -c 'ranks share this net' err)" = 1 ]
check "forces on the ground of a net are not added up, and that is said"
start 4 "$ranks" simulate "$source_dir/models/scale/Net.mo" --override n=5 --solver rk4 --step 2e-3 --stop-time 0.02 -q -o many.csv &&
    "$lieder" simulate "$source_dir/models/scale/Net.mo" --override n=5 --solver rk4 --step 2e-3 --stop-time 0.02 -q -o one.csv && cmp one.csv many.csv
check "a net that is not worth cutting stays on one rank: the same bits"
rm -f state
"$lieder" $net --solver rk4 --step 2e-3 --stop-time 0.02 -q -o one.csv
start 2 "$ranks" $net --solver rk4 --step 2e-3 --stop-time 0.01 --checkpoint state -q -o first.csv &&
    start 3 "$ranks" $net --solver rk4 --step 2e-3 --stop-time 0.02 --resume state -q -o second.csv &&
    near <(ends one.csv) <(ends second.csv)
check "a net: a state file of 2 ranks goes on with 3"
"$lieder" $net --solver rk4 --step 2e-3 --stop-time 0.02 --resume state -q -o second.csv && near <(ends one.csv) <(ends second.csv)
check "a net: a state file of 2 ranks goes on with one process"
"$lieder" $net --override c=1e12 --solver rk4 --step 2e-3 --stop-time 0.01 -q -o one.csv
start 3 "$ranks" $net --override c=1e12 --solver rk4 --step 2e-3 --stop-time 0.01 -q -o many.csv && near one.csv many.csv
check "a stiff net, c TD^2/m = 1e8"
start 3 "$ranks" $net --override c=1e12 --solver rk4 --step 2e-3 --stop-time 0.01 -q -o again.csv && cmp again.csv many.csv
check "a stiff net twice on 3 ranks: the same bits"
for c in 1e6 1e10; do
    "$lieder" $net --override c=$c --solver rk4 --step 2e-3 --stop-time 0.01 -q -o one.csv
    for n in 2 3 4; do
        start $n "$ranks" $net --override c=$c --solver rk4 --step 2e-3 --stop-time 0.01 -q -o many.csv && near one.csv many.csv
        check "a stiff net, c = $c N/m, factored by $n ranks"
    done
done
start 3 "$ranks" $net --solver bdf --stop-time 0.02 -q -o many.csv
[ $? = 2 ] && [ "$(grep -c 'Jacobian of a net' err)" = 1 ]
check "a solver that needs the Jacobian of a net is refused once, exit code 2"
start 3 "$ranks" $net --override m=-1 --solver rk4 --step 2e-3 --stop-time 0.02 -q -o many.csv
[ $? = 1 ] && [ "$(grep -c 'must be' err)" -ge 1 ]
check "a net with a wrong number: exit code 1"
start 3 "$ranks" $net --solver rk4 --step 0.1 --stop-time 20 -q -o many.csv
[ $? = 3 ] && [ "$(grep -c 'too long for rk4' err)" = 1 ]
check "a step that is too long for a net: said once, exit code 3"

# ---------------------------------------------------------------- the guide
mkdir bin && ln -s "$ranks" bin/lieder-mpi && ln -s "$source_dir/models" models
while IFS= read -r command; do
    PATH=$work/bin:$PATH timeout 100 bash -c "${command/mpirun/mpirun --oversubscribe}" > out 2> err < /dev/null
    check "guide: ${command:0:70} ..."
done < <(grep '^mpirun' "$source_dir/docs/guide/clusters.md")
bash -n <(sed -n '/^```slurm/,/^```$/{//!p}' "$source_dir/docs/guide/clusters.md")
check "guide: the script for Slurm is one"

# ---------------------------------------------------------------- what one process does
"$lieder" eigen "$source_dir/models/crane_crab.mo" > expected
start 3 "$ranks" eigen "$source_dir/models/crane_crab.mo" && cmp out expected
check "eigenvalues, by the first rank"
# the others wait without asking all the time
{ time "$lieder" eigen "$source_dir/models/scale/Chain.mo" --override n=60 > expected; } 2> alone.txt
{ time start 4 "$ranks" eigen "$source_dir/models/scale/Chain.mo" --override n=60; } 2> together.txt
cmp out expected && python3 - <<'P'
import re
def processor(name):
    text = open(name).read()
    return sum(60 * float(m) + float(s) for m, s in re.findall(r"(?:user|sys)\s+(\d+)m([\d.]+)s", text))
raise SystemExit(processor("together.txt") > 1.5 * processor("alone.txt") + 3)
P
check "the other ranks leave the processor alone meanwhile"

echo
echo "$(((number - failed) * 100 / number))% tests passed, $failed tests failed out of $number"
[ "$failed" = 0 ]
