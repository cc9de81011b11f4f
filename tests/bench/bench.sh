#!/bin/sh
# Simulated warp instructions and cycles per host second, one core.
#
# usage: bench.sh WARPLOOM [RUNS]
#
# Each workload is run RUNS times (default 3) and the fastest counts: other
# work on the host can only slow a run down.  With LOOM_COUNT=1 valgrind counts
# the host's instructions per warp instruction as well (a minute or two): they
# repeat exactly, so compare those across commits.
set -eu
warploom=$1
runs=${2:-3}
here=$(dirname "$0")

best() {
    i=0
    while [ "$i" -lt "$runs" ]; do
        "$warploom" run "$@" --quiet | grep '^bench '
        i=$((i + 1))
    done | sort -k5,5n | head -n 1
}

counted() {
    if [ "${LOOM_COUNT:-}" = 1 ]; then
        valgrind --tool=callgrind --callgrind-out-file=/dev/null \
            "$warploom" run "$@" --quiet 2>&1 |
            awk '/Collected/ { print $NF }'
    else
        echo 0
    fi
}

printf '%-22s %12s %12s %9s %14s %14s %12s\n' workload "warp insts" cycles \
    seconds "warp insts/s" "cycles/s" "host/warp"
for kernel in atax gemm bfs vectoradd; do
    set -- "$here/run.lua" --set "kernel=$kernel"
    best "$@" | awk -v host="$(counted "$@")" '{
        per = host > 0 ? sprintf("%.0f", host / $3) : "-"
        printf "%-22s %12d %12d %9.3f %14.0f %14.0f %12s\n", $2, $3, $4, $5,
               $3 / $5, $4 / $5, per }'
done
# The same work on 15 SMs, of 15 and of 80: those that idle should cost nothing.
for sms in 15 80; do
    set -- "$here/run.lua" --set kernel=few --set "sms=$sms"
    best "$@" | awk -v host="$(counted "$@")" -v sms="$sms" '{
        per = host > 0 ? sprintf("%.0f", host / $3) : "-"
        printf "%-22s %12d %12d %9.3f %14.0f %14.0f %12s\n",
               "15 of " sms " SMs", $3, $4, $5, $3 / $5, $4 / $5, per }'
done
set -- "$here/run.lua" --set kernel=gemm --functional
best "$@" | awk '{
    printf "%-22s %12d %12s %9.3f %14.0f %14s %12s\n", "gemm, functional",
           $3, "-", $5, $3 / $5, "-", "-" }'

# A DRAM channel without a GPU.
printf '\n%-22s %12s %12s %9s %14s %14s %12s\n' channel requests cycles \
    seconds requests/s cycles/s host/request
for pattern in sequential random; do
    set -- "$here/dram.lua" --set "pattern=$pattern"
    best "$@" | awk -v host="$(counted "$@")" '{
        per = host > 0 ? sprintf("%.0f", host / $3) : "-"
        printf "%-22s %12d %12d %9.3f %14.0f %14.0f %12s\n", $2, $3, $4, $5,
               $3 / $5, $4 / $5, per }'
done

# A network without a GPU.
printf '\n%-22s %12s %12s %9s %14s %14s %12s\n' network packets cycles \
    seconds packets/s cycles/s host/packet
set -- "$here/network.lua"
best "$@" | awk -v host="$(counted "$@")" '{
    per = host > 0 ? sprintf("%.0f", host / $3) : "-"
    printf "%-22s %12d %12d %9.3f %14.0f %14.0f %12s\n", "mesh 8 x 8, packets",
           $3, $4, $5, $3 / $5, $4 / $5, per }'
