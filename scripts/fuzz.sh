#!/bin/bash
# fuzz.sh BUILD SECONDS [SEED] - runs every fuzz target of the sanitized build BUILD on its kept corpus and SECONDS beyond, from
# SEED on (0: another one each time). An input that fails is left in BUILD.
set -u
usage="usage: fuzz.sh BUILD SECONDS [SEED]"
build=${1:?$usage} seconds=${2:?$usage} seed=${3:-0}
for source in test/*/fuzz_*.c; do
    name=$(basename "$source" .c) folder=$(dirname "$source")
    case $folder in
    test/front) more="-max_len=4096 -dict=test/front/modelica.dict" corpora="test/front/corpus test/front/wrong models" ;;
    *) more="-max_len=1000" corpora=$folder/corpus ;;
    esac
    echo "fuzz: $name, $seconds s"
    rm -rf "$build/fuzz_new" && mkdir -p "$build/fuzz_new"
    # the first folder is where new inputs go
    # shellcheck disable=SC2086
    "$build/$name" -seed="$seed" -max_total_time="$seconds" -timeout=20 $more -artifact_prefix="$build/" "$build/fuzz_new" $corpora \
        > "$build/fuzz.log" 2>&1 || {
        tail -40 "$build/fuzz.log"
        exit 1
    }
    tail -1 "$build/fuzz.log"
done
