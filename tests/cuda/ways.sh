#!/bin/sh
# Every CUDA host, built by nvcc as its users do: without any option, with the
# runtime shared, with relocatable device code.  Each passes its own checks in
# all ways; in the first two with the same statistics, each number, from the
# same objects.
#
# usage: ways.sh WARPLOOM SOURCE_DIR NVCC [NAME]...
#
# Ends with 77 (skipped), and says so, where there is no nvcc.
set -eu
warploom=$1
source=$2
nvcc=$3
shift 3
hosts=$source/tests/cuda/hosts
if ! command -v "$nvcc" >/dev/null; then
    echo "SKIPPED: no nvcc, so nobody has run a program that it builds"
    exit 77
fi
if [ $# -eq 0 ]; then
    for file in "$hosts"/*.cu; do
        name=$(basename "$file" .cu)
        # nvcc.sh links that one with its library, where there is one.
        [ "$name" = blas ] || set -- "$@" "$name"
    done
fi
[ $# -gt 0 ] || exit 1
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
cd "$out"
echo 'return require "warploom".preset.gtx480 {}' >machine.lua

fail() {
    echo "$1: $2" >&2
    cat text >&2
    exit 1
}

# compile NAME OPTION...: NAME.o, which each way links.
compile() {
    name=$1
    shift
    "$nvcc" -diag-suppress 550 -include "$source/tests/suite/nvcc.h" "$@" \
        -c -o "$name.o" "$hosts/$name.cu"
}

# run NAME WAY LINK_OPTION...: WAY.h5, and its digest on stdout.
run() {
    name=$1
    way=$2
    shift 2
    "$nvcc" "$@" -o "$name" "$name.o"
    "$warploom" cuda machine.lua --quiet -o "$way.h5" -- "./$name" >text 2>&1 ||
        fail "$name" "$way fails"
    grep -q PASSED text || fail "$name" "$way: no PASSED"
    if grep -q FAILED text; then
        fail "$name" "$way: FAILED"
    fi
    "$warploom" stats --digest "$way.h5"
}

for name in "$@"; do
    compile "$name"
    plain=$(run "$name" plain)
    shared=$(run "$name" shared -cudart shared)
    [ "$plain" = "$shared" ] || fail "$name" "other statistics"
    compile "$name" -rdc=true
    linked=$(run "$name" linked -rdc=true)
    [ "$plain" = "$linked" ] || echo "$name: other statistics with -rdc=true"
    echo "$name: without options, with -cudart shared, with -rdc=true"
done
echo "$# programs"
