#!/bin/sh
# Compiles bench.cu to bench.ptx with nvcc, for cards from Ampere on.  The PTX
# is checked in, so only those who change a kernel need nvcc; version 13.0 made
# what is there.
set -eu
cd "$(dirname "$0")"
"${NVCC:-nvcc}" -std=c++17 -arch=compute_80 -ptx bench.cu -o bench.ptx.new
# The head says which compiler it was, and when.
sed -e '/^\/\//d' -e '/^$/d' bench.ptx.new > bench.ptx
rm bench.ptx.new
