#!/bin/sh
# clang_instead.sh CLANG [LAUNCHER] -- COMPILER ARGUMENT...: compiles with CLANG what CMake would
# compile with its own compiler (cmake/lanes.cmake).
clang=$1
shift
launcher=
while [ "$1" != -- ]; do
    launcher="$launcher $1"
    shift
done
shift 2
exec $launcher "$clang" "$@"
