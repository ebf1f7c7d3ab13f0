#!/bin/sh
# pictures.sh - runs the experiments of the papers and draws docs/pictures/NAME.svg.
#
#   scripts/pictures.sh [PAPER]...       all, or those of 000, 001 ... phenomena
#
# Each scripts/pictures/PAPER.sh is a list of runs and pictures, read into this shell with the
# words below; the tables of docs/papers/ quote its commands. LIEDER is the program.
set -eu
cd "$(dirname "$0")/.."
lieder=$(realpath "${LIEDER:-build/lieder}")
pictures=$PWD/docs/pictures
results=results/papers # what the runs leave
mkdir -p "$pictures" "$results"

# run NAME MODEL [OPTION]...: simulate models/MODEL.mo to results/papers/NAME.mat, which knows units
run() {
    name=$1 model=$2
    shift 2
    "$lieder" simulate "models/$model.mo" --quiet --output "$results/$name.mat" "$@"
}

# sweep NAME MODEL [OPTION]...: the same for many values of parameters, to NAME.csv
sweep() {
    name=$1 model=$2
    shift 2
    "$lieder" sweep "models/$model.mo" --quiet --output "$results/$name.csv" "$@"
}

# picture NAME RESULT... [OPTION]...: curves of results/papers/RESULT
picture() {
    name=$1
    shift
    (cd "$results" && "$lieder" plot --quiet --output "$pictures/$name.svg" "$@")
    echo "docs/pictures/$name.svg"
}

# drawing FILE RESULT MODEL [OPTION]...: the mechanism in motion, from results/papers/RESULT; FILE ends
# in .svg, or in .png where that is smaller
drawing() {
    file=$1 result=$2 model=$3
    shift 3
    "$lieder" draw "$results/$result" --model "models/$model.mo" --quiet \
        --output "$pictures/$file" "$@"
    echo "docs/pictures/$file"
}

[ $# -gt 0 ] || set -- $(cd scripts/pictures && ls -- *.sh | sed 's/\.sh$//')
for paper; do
    . "scripts/pictures/$paper.sh"
done
