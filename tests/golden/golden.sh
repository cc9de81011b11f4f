#!/bin/sh
# Runs one machine with one kernel and compares every statistic, and the
# digest of the whole state, with what is checked in.  The same text must come
# from every build type and compiler.
#
# usage: golden.sh WARPLOOM GOLDEN_DIR MACHINE KERNEL [THREADS]
# LOOM_BLESS=1 accepts what was found; the commit says why it changed.
set -eu
export WARPLOOM_PACE=change # threads come and go
warploom=$1
here=$2
machine=$3
kernel=$4
threads=${5:-1}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$warploom" run "$here/golden.lua" --set machine="$machine" \
    --set kernel="$kernel" --threads "$threads" \
    -o "$work/g.h5" >"$work/summary"
{
    grep -E '^ *(cycles|warp instructions|state digest) ' "$work/summary" |
        sed -E 's/^ +//; s/  +/ = /'
    "$warploom" stats "$work/g.h5" --csv | cut -d, -f1-6
} >"$work/found"
golden=$here/$machine-$kernel.txt
if [ "${LOOM_BLESS:-}" = 1 ] && [ "$threads" = 1 ]; then
    cp "$work/found" "$golden"
fi
diff -u "$golden" "$work/found"
