#!/bin/sh
# Two builds of warploom against each other on a host that others use, too.
#
# usage: pair.sh OLD NEW [PAIRS [OPTION]...]
#
# Runs both at once, each on a processor of its own, and changes sides from pair
# to pair (default 20), so that what slows the host down slows both.  OPTIONs go
# to tests/bench/run.lua, for instance --set kernel=gemm.  Prints the new one's
# time as a part of the old one's: the geometric mean over pairs, its standard
# error, the median, and the fastest run of each.  Half a standard error proves
# nothing: a build against itself shows what the host's noise is.
set -eu
old=$1
new=$2
pairs=${3:-20}
shift $(($# < 3 ? $# : 3))
here=$(dirname "$0")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

start() { # FILE PROCESSOR WARPLOOM [OPTION]...
    file=$1 processor=$2 program=$3
    shift 3
    taskset -c "$processor" "$program" run --quiet "$here/run.lua" "$@" |
        awk '/^bench / { print $5 }' > "$file"
}

i=0
while [ "$i" -lt "$pairs" ]; do
    side=$((i % 2))
    start "$folder/old" "$side" "$old" "$@" &
    start "$folder/new" "$((1 - side))" "$new" "$@"
    wait
    if [ ! -s "$folder/old" ] || [ ! -s "$folder/new" ]; then
        echo "pair.sh: a run has failed" >&2
        exit 1
    fi
    paste -d ' ' "$folder/old" "$folder/new" >> "$folder/pairs"
    i=$((i + 1))
done
awk '{ print log($2 / $1), $1, $2 }' "$folder/pairs" | sort -g | awk '
    { ratio[NR] = $1; sum += $1
      old = NR == 1 || $2 < old ? $2 : old
      new = NR == 1 || $3 < new ? $3 : new }
    END {
        if (NR < 2) { print "pair.sh: expected two pairs or more"; exit 1 }
        mean = sum / NR
        for (i = 1; i <= NR; i++) squares += (ratio[i] - mean) ^ 2
        printf "new/old %.3f +- %.3f, median %.3f, fastest %.3f and %.3f s, " \
               "%d pairs\n", exp(mean), sqrt(squares / (NR - 1) / NR), \
               exp(ratio[int((NR + 1) / 2)]), old, new, NR }'
