#!/bin/bash
# An installation in a folder, which is then moved, and used from there: program, shared and static library through
# pkg-config and CMake, a class in a shared library, Python. Usage: test_install.sh BUILD [PREFIX]; with PREFIX that
# installation is tried where it is, and none is made.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_CACHE_HOME=$work/cache
failed=0

# a test by its name; the commands before it have left 0 in $? if it passed
check()
{
    local status=$?
    if [ $status = 0 ]; then
        echo "  passed  $*"
    else
        echo "  FAILED  $*"
        cat "$work/log"
        failed=$((failed + 1))
    fi
}

prefix=${2:-}
if [ -z "$prefix" ]; then
    cmake --install "$build" --prefix "$work/first" > "$work/log" 2>&1 || { cat "$work/log"; exit 1; }
    mv "$work/first" "$work/moved"
    prefix=$work/moved
fi
libraries=$(dirname "$(find "$prefix/lib" -name 'liblieder.so' | head -1)")
python=$(dirname "$(dirname "$(find "$prefix/lib" -path '*dist-packages/lieder/__init__.py' | head -1)")")
export PKG_CONFIG_PATH=$libraries/pkgconfig LD_LIBRARY_PATH=$libraries
cd "$work" || exit 1

lieder=$prefix/bin/lieder
$lieder simulate "$root/models/crane_crab.mo" -o moved.csv > log 2>&1 && [ "$(wc -l < moved.csv)" -gt 500 ]
check "the program simulates"
$lieder simulate "$root/models/crane_crab.mo" -o compiled.csv --compile always > log 2>&1 && cmp moved.csv compiled.csv
check "and compiles generated code, with the same bits"
for example in load_a_model fleet; do
    # shellcheck disable=SC2046
    gcc -O1 "$root/examples/$example.c" $(pkg-config --cflags --libs lieder) -lm -o $example > log 2>&1 && ./$example > out 2>>log
    check "examples/$example.c with the shared library"
done
# shellcheck disable=SC2046
gcc -O1 "$root/examples/load_a_model.c" $(pkg-config --cflags lieder) "$libraries/liblieder.a" \
    $(pkg-config --static --libs lieder | sed 's/-L[^ ]* -llieder//') -o static > log 2>&1 && ./static > out2 2>> log && ! ldd static | grep -q liblieder
check "and with the static one"
# shellcheck disable=SC2046
gcc -shared -fPIC -O1 "$root/examples/own_component.c" $(pkg-config --cflags lieder-class) -o own.so > log 2>&1 &&
    printf '%s\n' "model M" "  Dialectic.Translational.Fixed fixed;" "  HardSpring spring(c = 100, c3 = 10);" \
        "  Dialectic.Translational.Joint joint(s(start = 1));" "  Dialectic.Translational.Body body(m = 1);" \
        "equation" "  connect(fixed.flange_b, joint.flange_a);" "  connect(joint.flange_b, body.flange_a);" \
        "  connect(fixed.flange_b, spring.flange_a);" "  connect(spring.flange_b, body.flange_a);" "end M;" > M.mo &&
    $lieder simulate M.mo --load own.so -o own.csv > log 2>&1
check "a class of examples/own_component.c in the program"
mkdir -p project && cat > project/CMakeLists.txt << 'END'
cmake_minimum_required(VERSION 3.20)
project(embedding C)
find_package(lieder 0.1 REQUIRED)
add_executable(embedding ${SOURCE})
target_link_libraries(embedding PRIVATE lieder::lieder m)
END
cmake -S project -B project/build -DSOURCE="$root/examples/build_a_model.c" -DCMAKE_PREFIX_PATH="$prefix" > log 2>&1 &&
    cmake --build project/build >> log 2>&1 && project/build/embedding >> log 2>&1
check "find_package(lieder) of CMake"
if [ -n "$python" ] && [ -x /usr/bin/python3 ]; then
    PYTHONPATH=$python /usr/bin/python3 -B -c "
import lieder, sys
m = lieder.load('$root/models/crane_crab.mo')
r = m.simulate(stop=1)
assert lieder.__version__ == '$($lieder --version | cut -d' ' -f2)'
assert lieder.__file__.startswith('$prefix')
assert len(r.time) > 10" > log 2>&1
    check "import lieder"
fi
! strings -a "$lieder" "$libraries"/liblieder.so "$libraries/liblieder.a" | grep -q "$work\|$prefix/"
check "no path of the prefix inside"
exit $((failed > 0))
