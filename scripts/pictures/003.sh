# Paper 003: the crane crab. What it shows: docs/papers/003.md
run 003_crane_crab crane_crab
picture 003_crane_crab 003_crane_crab.mat --y prismatic.s revolute.phi --to 5
drawing 003_crane_crab_motion.svg 003_crane_crab.mat crane_crab --to 0.95

# figures 6 and 7: curves that make bench leaves; without them the pictures stay as they are
scaling() {
    name=$1 title=$2
    shift 2
    [ -f "results/bench_$name.csv" ] || { echo "results/bench_$name.csv is missing: make bench" >&2; return 0; }
    "$lieder" plot "results/bench_$name.csv" --quiet --x equations --panel --y "$@" --log xy --title "$title" \
        --size 800x500 --output "$pictures/003_scaling_$name.svg"
    echo "docs/pictures/003_scaling_$name.svg"
}
scaling time "one evaluation of all crabs, ms" paper kernels "flat C" compiled
scaling memory "resident memory of the process, bytes" "from text" "from C"
scaling start "instantiation, s" "from text" "from C"
