#!/bin/sh
# Compiles the kernels to PTX with nvcc.  The PTX is checked in, so only those
# who change a kernel need nvcc; version 13.0 made what is there.
set -eu
cd "$(dirname "$0")"
build() {
    for name in $2; do
        "${NVCC:-nvcc}" -std=c++17 -arch="$1" -ptx "$name.cu" -o "$name.new"
        # The head says which compiler it was, and when.
        sed -e '/^\/\//d' -e '/^$/d' "$name.new" >"$name.ptx"
        rm "$name.new"
    done
}
build compute_75 "gemm_f32 gemm_f64 gemm_lanes16 vector matrix rows structured"
build compute_80 "gemm_f16 gemm_bf16"
