#!/bin/sh
# Ordinary CUDA programs, built by nvcc in every way, on a simulated GPU: they
# run, or say why not.
#
# usage: nvcc.sh WARPLOOM SOURCE_DIR NVCC
#
# Ends with 77 (skipped), and says so, where there is no nvcc.
set -eu
warploom=$1
source=$2
nvcc=$3
here=$source/tests/cuda
if ! command -v "$nvcc" >/dev/null; then
    echo "SKIPPED: no nvcc, so nobody has run a program that it builds"
    exit 77
fi
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
cat >"$out/machine.lua" <<'LUA'
return require "warploom".preset.gtx480 {}
LUA
fail() {
    echo "$1"
    exit 1
}

# build NAME OPTION...
build() {
    name=$1
    shift
    "$nvcc" -cudart shared -diag-suppress 550 -include "$source/tests/suite/nvcc.h" "$@" \
        -o "$out/$name" "$here/hosts/$name.cu"
}

# As nvcc builds by default, compressed in every way.
for mode in none size balance speed; do
    build bfs "--compress-mode=$mode"
    "$warploom" cuda "$out/machine.lua" --functional --quiet -- "$out/bfs" |
        grep -q PASSED || fail "bfs, compressed with $mode: not PASSED"
done
for name in grid features layout calls; do
    build $name
    (cd "$out" && "$warploom" cuda machine.lua --quiet -- "./$name") \
        >"$out/text" 2>&1 || { cat "$out/text"; fail "$name fails"; }
    grep -q PASSED "$out/text" || { cat "$out/text"; fail "$name: no PASSED"; }
    [ -f "$out/$name.h5" ] || fail "no $name.h5"
    cp "$out/text" "$out/$name.text"
done
grep -q '^kernel: 1000 elements 0.50$' "$out/features.text" || fail "no printf"
grep -q 'events: ordered' "$out/features.text" ||
    fail "no time between events"
build thrust
"$warploom" cuda "$out/machine.lua" --functional --quiet -- "$out/thrust" |
    grep -q PASSED || fail "thrust: not PASSED"

# Programs that cannot be run say why.
build vectoradd -gencode arch=compute_75,code=sm_75
"$warploom" cuda "$out/machine.lua" --quiet -o "$out/x.h5" -- \
    "$out/vectoradd" >"$out/text" 2>&1 && fail "machine code ran"
grep -q "no PTX.*nvcc -arch=compute_75" "$out/text" || fail "no word of PTX"
build vectoradd -rdc=true -arch=compute_75
"$warploom" cuda "$out/machine.lua" --quiet -o "$out/x.h5" -- \
    "$out/vectoradd" >"$out/text" 2>&1 && fail "relocatable code ran"
grep -q "has relocatable device code (-rdc=true" "$out/text" ||
    fail "no word of -rdc"
grep -q "invalid kernel image" "$out/text" || fail "another error"
build vectoradd -cudart static -Xlinker -s
"$warploom" cuda "$out/machine.lua" -- "$out/vectoradd" >"$out/text" 2>&1 &&
    fail "a stripped program with a static runtime ran"
grep -q "nvcc -cudart shared" "$out/text" || fail "no word of -cudart shared"

# Each function of the static runtime, by what it does now: nothing of
# NVIDIA's is left to be called.  What it has beyond the shared one is the
# program's.
build vectoradd -cudart static
nm "$out/vectoradd" | sed -n 's/.* [tT] \(\(__\)*cuda.*\)/\1/p' |
    grep -v '^__cudaUnregisterBinaryUtil$' | sort -u >"$out/static"
[ "$(wc -l <"$out/static")" -gt 300 ] || fail "no static runtime"

# Every function of NVIDIA's library is here: provided, or named as missing.
theirs=$(dirname "$(command -v "$nvcc")")/../lib64/libcudart.so
[ -e "$theirs" ] || theirs=$(dirname "$(command -v "$nvcc")")/../lib/libcudart.so
nm -D --defined-only "$theirs" | awk '{ sub("@.*", "", $3); print $3 }' |
    grep -E '^(__)?cuda' | sort -u >"$out/theirs"
nm -D --defined-only "$(dirname "$warploom")/cuda/libwarploom_cuda.so" |
    awk '{ print $3 }' | sort -u >"$out/ours"
sort -u -o "$out/theirs" "$out/theirs" "$out/static"
absent=$(comm -23 "$out/theirs" "$out/ours")
[ -z "$absent" ] || fail "not in our library: $absent"
echo "$(wc -l <"$out/theirs") functions of NVIDIA's library are known"
