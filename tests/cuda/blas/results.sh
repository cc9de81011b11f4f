#!/bin/sh
# Functions of cuBLAS are launches in a run's results: with names that say what
# they compute, with time, and in the stream that the program gave.
#
# usage: results.sh WARPLOOM HERE GEMM_TEST
set -eu
warploom=$1
here=$2
program=$3
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
"$warploom" cuda "$here/gtx480.lua" --quiet -o "$out/run.h5" -- \
    "$program" names >"$out/text" || { cat "$out/text"; exit 1; }
"$warploom" kernels "$out/run.h5" >"$out/list"
for kernel in gemm_f32_nn_32x32 gemm_f64_nn_32x32 gemm_f64_nt_32x32 \
    gemm_lanes_f16_nn_64x64 gemm_f32_tn_32x32 scal_f32; do
    grep -q " $kernel .* us " "$out/list" || {
        cat "$out/list"
        echo "no time of $kernel"
        exit 1
    }
done
