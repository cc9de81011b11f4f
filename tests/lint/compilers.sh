#!/bin/sh
# Every source compiles without a warning, whatever the build treats as an
# error, also by compilers that did not build it.
# usage: compilers.sh SOURCE_DIR CC [FLAG...]
set -eu
cd "$1"
cc=$2
shift 2
# mpi_module.c needs an MPI's own compiler; fault.c is the C library's double.
find engine components policies lua cuda stats workloads tests -name '*.c' \
    -not -path 'workloads/suite/*' -not -path 'tests/lint/bad/*' \
    -not -path 'lua/mpi_module.c' -not -path 'tests/fault/fault.c' |
    sort | xargs -P 2 -n 16 "$cc" -std=gnu17 -fsyntax-only -Wall -Wextra \
    -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes \
    -Wvla -Wundef -Wno-overlength-strings -Werror -I. \
    -DLOOM_CUDART_VERSION=12000 -DLOOM_FUZZ_MAIN -DOLD_VERSION=11 \
    -DLOOM_SOURCE='"."' -DMISSES_TABLE='"."' "$@"
