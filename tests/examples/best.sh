#!/bin/sh
# Runs a part of the example sweeps and looks at what they find: the limit of
# warps that fills the L1 and no more, and tokens that beat every limit.
# usage: best.sh WARPLOOM SOURCE_DIR
set -eu
warploom=$1
root=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
sweep() {
    "$warploom" sweep "$root/examples/$1.lua" --no-cache -j 2 --only "$2" >"$1"
    cat "$1"
}
# Under the line that names a column its value is the last word.
value() {
    awk -v name="$2" '
        $1 == name { found = 1; if (NF == 2 && $2 + 0 > 0) { print $2; exit } }
        found && $NF + 0 > 0 { print $NF; exit }
    ' "$1"
}
sweep best_swl bench=rows
sweep best_pcal bench=rows_and_stream
awk -v warps="$(value best_swl best_warps)" \
    -v swl="$(value best_swl best_swl)" \
    -v limit="$(value best_pcal best_swl)" \
    -v pcal="$(value best_pcal best_pcal)" 'BEGIN {
    print "best swl: " warps " warps, " swl
    print "best swl " limit ", best pcal " pcal
    exit !(warps == 4 && swl > 2.5 && limit >= 1 && pcal > 1.25 * limit)
}'
