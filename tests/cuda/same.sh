#!/bin/sh
# Programs of the suite with an ordinary CUDA host, built by nvcc, on a
# simulated GPU: each passes its own checks, and does what its Lua host does
# with the same PTX: the same streams, instruction by instruction, the same
# contents of memory at the end, and the same statistics, each number.
#
# usage: same.sh WARPLOOM SOURCE_DIR NVCC [all|NAME...]
# Without names ten that differ in what they launch, and copy between launches; what
# nvcc makes of other kernels, suite.nvcc.sm_75 runs.  With "all" every
# host that a Lua host has the name of (the target cuda_nightly).
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
    set -- bfs conv3d gaussian histogram64 kmeans mergesort mri_gridding nw \
        reduction vectoradd
elif [ "$*" = all ]; then
    set --
    for file in "$hosts"/*.cu; do
        name=$(basename "$file" .cu)
        [ ! -d "$source/workloads/suite/$name" ] || set -- "$@" "$name"
    done
fi
[ $# -gt 0 ] || exit 1
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
WARPLOOM_SUITE=$out/suite
export WARPLOOM_SUITE

# All that the warps of a recording do, and its memory at the end.
listing() {
    "$warploom" disasm "$1" | sed -n '/^  launch \|^  memory_digest/p'
    "$warploom" --unsafe "$source/tests/cuda/listing.lua" "$1"
}

for name in "$@"; do
    fail() {
        echo "$name: $1"
        exit 1
    }
    # One run of nvcc makes the program, and leaves the PTX that is in it.
    mkdir -p "$out/suite/$name"
    "$nvcc" -cudart shared -diag-suppress 550 -arch=compute_75 \
        -include "$source/tests/suite/nvcc.h" --keep \
        --keep-dir "$out/suite/$name" -o "$out/$name" "$hosts/$name.cu"
    cp "$source/workloads/suite/$name/$name.lua" "$out/suite/$name"
    cat >"$out/$name.lua" <<LUA
local loom = require "warploom"
loom.run { machine = loom.preset.gtx480 {},
           workload = loom.suite.$name { size = "tiny" },
           stats = { file = "x.h5" } }
LUA
    "$warploom" run "$out/$name.lua" --quiet -o "$out/lua.h5" \
        --record "$out/lua.wlt"
    "$warploom" cuda "$out/$name.lua" --quiet -o "$out/cuda.h5" \
        --record "$out/cuda.wlt" -- "$out/$name" >"$out/text" || fail "fails"
    grep -q PASSED "$out/text" || fail "no PASSED"
    if grep -q FAILED "$out/text"; then
        fail "FAILED"
    fi
    listing "$out/lua.wlt" >"$out/lua.text"
    listing "$out/cuda.wlt" >"$out/cuda.text"
    grep -q "^  memory_digest = [0-9a-f]" "$out/lua.text" || fail "no digest"
    lines=$(wc -l <"$out/lua.text")
    [ "$lines" -gt 100 ] || fail "only $lines lines of streams"
    cmp "$out/lua.text" "$out/cuda.text" || fail "other streams"
    mine=$("$warploom" stats --digest "$out/cuda.h5")
    lua=$("$warploom" stats --digest "$out/lua.h5")
    if [ "$mine" != "$lua" ]; then
        "$warploom" diff "$out/cuda.h5" "$out/lua.h5" | head -40
        fail "not the statistics of its Lua host"
    fi
    echo "$name: $lines lines of streams, memory and each number as its Lua host"
done
echo "$# programs"
