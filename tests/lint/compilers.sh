#!/bin/sh
# Every source compiles without a warning, whatever the build treats as an
# error, also by compilers that did not build it.
# usage: compilers.sh SOURCE_DIR CC [FLAG...]
# $LOOM_FOLDERS: where sources are looked for, all by default; $LOOM_EVERY: every
# how many of them, 1 by default (the target lint_nightly).
set -eu
warnings=$(cat "$(dirname "$0")/warnings")
cd "$1"
folders=${LOOM_FOLDERS:-engine components policies lua cuda stats workloads tests}
cc=$2
shift 2
# mpi_module.c needs an MPI's own compiler; fault.c is the C library's double.
# shellcheck disable=SC2086
find $folders -name '*.c' \
    -not -path 'workloads/suite/*' -not -path 'tests/lint/bad/*' \
    -not -path 'lua/mpi_module.c' -not -path 'tests/fault/fault.c' |
    sort | awk -v every="${LOOM_EVERY:-1}" 'NR % every == 0' | xargs -P 2 -n 16 "$cc" -fsyntax-only $warnings -I. \
    -DLOOM_CUDART_VERSION=12000 -DLOOM_FUZZ_MAIN -DOLD_VERSION=11 \
    -DLOOM_SOURCE='"."' -DMISSES_TABLE='"."' "$@"
