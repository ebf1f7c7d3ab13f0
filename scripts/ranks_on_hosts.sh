#!/bin/bash
# ranks_on_hosts.sh [N] - lieder-mpi on N hosts of their own (3), as far as one machine can have them: each is a network namespace with its own
# address and name behind a bridge, so that ranks start each other through an agent, as through ssh, and talk by TCP. A fleet, a sweep and a net
# must give what one process gives. Needs root (ip netns); leaves nothing behind.
set -u
hosts=${1:-3}
root=$(cd "$(dirname "$0")/.." && pwd)
lieder=$root/build/lieder ranks=$root/build/lieder-mpi
work=$(mktemp -d) name=lieder$$ failed=0
cleanup()
{
    for i in $(seq 0 "$hosts"); do ip netns del "${name}_$i" 2> /dev/null; done
    rm -rf "$work"
}
trap cleanup EXIT
[ "$(id -u)" = 0 ] || { echo "ranks_on_hosts.sh: network namespaces need root"; exit 1; }

# ---------------------------------------------------------------- hosts 1 ... N behind a bridge in host 0
ip netns add "${name}_0" && ip -n "${name}_0" link add bridge type bridge && ip -n "${name}_0" link set bridge up || exit 1
list=""
for i in $(seq "$hosts"); do
    ip netns add "${name}_$i" &&
        ip -n "${name}_$i" link add eth0 type veth peer name "port$i" netns "${name}_0" &&
        ip -n "${name}_$i" addr add "10.77.0.$i/24" dev eth0 &&
        ip -n "${name}_$i" link set eth0 up && ip -n "${name}_$i" link set lo up &&
        ip -n "${name}_0" link set "port$i" master bridge up || exit 1
    list="$list${list:+,}10.77.0.$i:1"
done
# what ssh is elsewhere: HOST COMMAND...
cat > "$work/agent" <<A
#!/bin/bash
i=\${1##*.}; shift
exec ip netns exec ${name}_\$i unshare -u sh -c "hostname host\$i; \$*"
A
chmod +x "$work/agent"

start()
{
    ip netns exec "${name}_1" unshare -u sh -c "hostname host1; exec \"\$@\"" start timeout 300 mpirun --allow-run-as-root -n "$hosts" --host "$list" \
        --mca plm_rsh_agent "$work/agent" --mca plm_rsh_no_tree_spawn 1 --mca btl self,tcp --mca btl_tcp_if_include 10.77.0.0/24 \
        --mca oob_tcp_if_include 10.77.0.0/24 --mca mpi_yield_when_idle 1 "$@"
}
check()
{
    [ $? = 0 ] && echo "  passed  $1" || { echo "  FAILED  $1"; failed=1; }
}

cd "$work" || exit 1
start hostname | sort > names
[ "$(sort -u names | wc -l)" = "$hosts" ]
check "$hosts ranks on $(sort -u names | tr '\n' ' ')"
fleet="simulate $root/models/scale/Fleet.mo --override n=200 --solver rk4 --step 1e-3 --stop-time 0.2"
"$lieder" $fleet -q -o one.csv && start "$ranks" $fleet -q -o many.csv && cmp one.csv many.csv
check "a fleet: the same bits"
sweep="sweep $root/models/crane_crab.mo --vary cart.m=1:3:50 --solver rk4 --step 1e-3 --stop-time 1"
"$lieder" $sweep -q -o one.csv && start "$ranks" $sweep -q -o many.csv && cmp one.csv many.csv
check "a sweep: the same bits"
net="simulate $root/models/scale/Net.mo --override n=40 --solver rk4 --step 2e-3 --stop-time 0.1 --record along_.*s"
"$lieder" $net -q -o one.csv && start "$ranks" $net --log-format json -o many.csv > summary && python3 - <<'P'
rows = [[line.split(",") for line in open(f).read().splitlines()] for f in ("one.csv", "many.csv")]
worst = max(abs(float(x) - float(y)) / (1 + abs(float(x))) for p, q in zip(rows[0][1:], rows[1][1:]) for x, y in zip(p, q))
print(f"          largest difference {worst:.1e}")
raise SystemExit(rows[0][0] != rows[1][0] or len(rows[0]) != len(rows[1]) or worst > 1e-10)
P
check "a net: 1e-10"
tail -1 summary | grep -o '"\(steps\|seconds\|decisions\|messages\|message_bytes\)":[^,}]*' | tr '\n' ' '
echo
exit $failed
