#!/bin/sh
# Compiles the kernels to PTX with nvcc.  The PTX is checked in, so only those
# who change a kernel need nvcc; version 13.0 made what is there.
set -eu
cd "$(dirname "$0")"
"${NVCC:-nvcc}" -std=c++17 -arch=compute_75 -ptx kernels.cu -o kernels.new
# The head says which compiler it was, and when.
sed -e '/^\/\//d' -e '/^$/d' kernels.new >kernels.ptx
rm kernels.new
