#!/bin/sh
# Compiles the suite with another compiler and runs its host scripts with
# what comes out: all results are checked against the CPU, as always.
#
# usage: other.sh WARPLOOM SUITE VERIFY_LUA COMPILER ARCHITECTURE
#
# COMPILER is a clang or nvcc.
set -eu
warploom=$1
suite=$2
verify=$3
compiler=$4
arch=$5
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
for source in "$suite"/*/*.cu; do
    name=$(basename "$source" .cu)
    mkdir -p "$out/$name"
    cp "$suite/$name/$name.lua" "$out/$name/"
    case $(basename "$compiler") in
    nvcc*)
        # Its own names for what gpu.h gives to clang.
        "$compiler" -ptx -arch="$arch" \
            -DKERNEL='extern "C" __global__ void' \
            -DGPU_INLINE='static __inline__ __device__' "$source" \
            -o "$out/$name/$name.ptx"
        ;;
    *)
        "$compiler" -x cuda --cuda-device-only -S \
            --cuda-gpu-arch="$arch" -nocudainc -nocudalib \
            --cuda-path=/nonexistent -include "$suite/gpu.h" -O2 \
            -Wno-unknown-cuda-version "$source" -o "$out/$name/$name.ptx"
        ;;
    esac
done
WARPLOOM_SUITE=$out "$warploom" run --functional "$verify"
