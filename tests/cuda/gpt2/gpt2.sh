#!/bin/sh
# A GPT-2 of ours, built by nvcc: trained without timing, its losses beside those
# of the same program on the host; then one iteration of the same model in time,
# sampled, with the table of its kernels.
#
# usage: gpt2.sh [LAYERS HEADS WIDTH LENGTH BATCH STEPS]
#
# Of the surroundings: WARPLOOM, else build/release/warploom; NVCC, else that of
# $PATH or /usr/local/cuda/bin; MACHINE, a script, else the preset h100; KEEP, a
# folder for the program and its results.  Ends with 77 where there is no nvcc.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
warploom=${WARPLOOM:-$here/../../../build/release/warploom}
nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
command -v "$nvcc" >/dev/null || {
    echo "SKIPPED: no nvcc ($nvcc), so nobody has built a GPT-2 with it"
    exit 77
}
[ $# -eq 6 ] || set -- 4 4 64 64 2 8
work=${KEEP:-$(mktemp -d)}
mkdir -p "$work"
[ -n "${KEEP:-}" ] || trap 'rm -rf "$work"' EXIT
machine=${MACHINE:-$work/machine.lua}
[ -n "${MACHINE:-}" ] ||
    echo 'return require "warploom".preset.h100 {}' >"$machine"
"$nvcc" -O3 -o "$work/gpt2" "$here/gpt2.cu" "$here/model.c" \
    "$here/host_ops.c"
"$warploom" cuda "$machine" --functional --quiet -o "$work/trained.h5" -- \
    "$work/gpt2" "$@"
"$warploom" cuda "$machine" --sample --quiet -o "$work/timed.h5" -- \
    "$work/gpt2" "$1" "$2" "$3" "$4" "$5" 1
"$warploom" kernels "$work/timed.h5"
