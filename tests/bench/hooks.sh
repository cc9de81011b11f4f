#!/bin/sh
# What hooks cost where no policy is attached: host instructions of the
# program as it is, against one that was built without asking any chain
# (-DLOOM_CHAINS=OFF), on the workloads of bench.sh.  Instructions repeat
# exactly; the bound is 2 %.
#
# usage: hooks.sh SOURCE_DIR BUILD_DIR [KERNEL...]
#
# Builds both programs, optimised as a whole, under BUILD_DIR.
set -eu
root=$1
build=$2
shift 2
[ $# -gt 0 ] || set -- atax gemm bfs vectoradd
for chains in ON OFF; do
    cmake -S "$root" -B "$build/chains-$chains" -G Ninja \
        -DCMAKE_BUILD_TYPE=Release -DLOOM_LTO="${LOOM_LTO:-ON}" \
        -DLOOM_CHAINS=$chains >/dev/null
    cmake --build "$build/chains-$chains" --target warploom >/dev/null
done
# instructions CHAINS KERNEL: of a run
instructions() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null \
        "$build/chains-$1/warploom" run "$root/tests/bench/run.lua" \
        --set "kernel=$2" --quiet 2>&1 | awk '/Collected/ { print $NF }'
}
# The two do the same: empty chains decide nothing.
digest() {
    "$build/chains-$1/warploom" run "$root/tests/bench/run.lua" \
        --set "kernel=$2" --quiet | awk '/^bench / { print $3, $4 }'
}
worst=0
printf '%-12s %16s %16s %8s\n' workload "without" "with hooks" share
for kernel in "$@"; do
    [ "$(digest ON "$kernel")" = "$(digest OFF "$kernel")" ] ||
        { echo "$kernel: the two builds do not agree"; exit 1; }
    off=$(instructions OFF "$kernel")
    on=$(instructions ON "$kernel")
    awk -v k="$kernel" -v off="$off" -v on="$on" 'BEGIN {
        printf "%-12s %16.0f %16.0f %7.2f%%\n", k, off, on, 100 * (on - off) / on }'
    worst=$(awk -v w="$worst" -v off="$off" -v on="$on" 'BEGIN {
        s = 100 * (on - off) / on; print (s > w ? s : w) }')
done
awk -v w="$worst" 'BEGIN {
    printf "worst %.2f%%, bound 2%%\n", w; exit !(w <= 2) }'
