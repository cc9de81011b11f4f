#!/bin/sh
# A library of NVIDIA's that has no stand-in: what is missing is said before the
# program starts; what is there is warned of.
#
# usage: absent.sh WARPLOOM SOURCE_DIR PROGRAM LIBRARY
set -eu
warploom=$1
source=$2
program=$3
library=$4
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
cp "$program" "$out/program"
cd "$out"
. "$source/tests/cuda/want.sh"
machine=$source/tests/cuda/blas/gtx480.lua

want 1 "the program needs libcufft.so.99 (cuFFT of NVIDIA), which is not installed" \
    "$warploom" cuda "$machine" -- ./program
cp "$library" libcufft.so.99
want 0 "libcufft.so.99 (cuFFT) is NVIDIA's: its kernels are machine code" \
    env LD_LIBRARY_PATH="$out" "$warploom" cuda "$machine" -- ./program
