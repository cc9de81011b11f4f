#!/bin/sh
# Every network of network.lua under full random load for a million cycles with
# each number of virtual channels, size of packets and kind of sharing: each
# packet comes once, in order where that is promised, and nothing ever stops.
#
# usage: delivery.sh WARPLOOM SOURCE_DIR [JOBS]
#
# Twenty minutes of one core.  Prints a line for each network; the status is not 0 if
# one of them failed.
set -eu
warploom=$(realpath "$1")
root=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export WARPLOOM_PATH="$root/tests/validate"
seq 11 | xargs -P "${3:-2}" -I{} sh -c '
    "$1" run -q "$2/tests/validate/network.lua" --set only=delivery \
        --set full=true --set network={} --set root="$2" \
        >"$3/{}" 2>&1 || touch "$3/failed"
    grep -v "measurements" "$3/{}"' - "$warploom" "$root" "$work"
grep -h "measurements" "$work"/[1-9]* | awk '
    { m += $2; f += $4 } END { print m " cases, " f " failures" }'
[ ! -e "$work/failed" ]
