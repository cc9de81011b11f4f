#!/bin/sh
# The suite's kernels as `scheduled` times them beside what ptxas makes of the
# same PTX for sm_90: instructions and registers of each, and the median
# differences.  Loops stay as they are, as they do here: ptxas unrolls none.
#
# With LOOM_FROM=nvcc it is the PTX that nvcc makes of the sources, and ptxas
# unrolls what it likes: that is only shown.
#
# usage: scheduled.sh WARPLOOM SOURCE_DIR NVCC [all|SUITE_PROGRAM]...
# Without names every other program; with "all" all of them (silicon_nightly).
#
# Ends with 77 (skipped), and says so, where there is no nvcc.
set -eu
warploom=$1
source=$2
nvcc=$3
shift 3
if ! command -v "$nvcc" >/dev/null; then
    echo "SKIPPED: no nvcc, so nobody has compared scheduled PTX with ptxas"
    exit 77
fi
if [ $# -eq 0 ] || [ "$*" = all ]; then
    every=2
    [ $# -eq 0 ] || every=1
    # shellcheck disable=SC2046
    set -- $(cd "$source/workloads/suite" && ls -d */ | tr -d / |
        awk "NR % $every == 1 % $every")
fi
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
for name in "$@"; do
    ptx=$source/workloads/suite/$name/$name.ptx
    if [ "${LOOM_FROM:-}" = nvcc ]; then
        ptx=$out/$name.ptx
        "$nvcc" -arch=sm_90 -ptx -diag-suppress 550 \
            -I "$source/workloads/suite" \
            -include "$source/tests/suite/nvcc.h" -o "$ptx" \
            "$source/workloads/suite/$name/$name.cu"
    else
        sed '0,/^\.address_size.*/s//&\n.pragma "nounroll";/' "$ptx" \
            >"$out/$name.ptx"
    fi
    "$nvcc" -arch=sm_90 -cubin -Xptxas -v -o "$out/$name.cubin" \
        "$out/$name.ptx" 2>"$out/$name.log" || { cat "$out/$name.log"; exit 1; }
    "$warploom" disasm "$ptx" >"$out/$name.plain"
    "$warploom" disasm --scheduled "$ptx" >"$out/$name.scheduled"
done
lua5.4 "$source/tests/validate/scheduled.lua" "$out" "$@"
