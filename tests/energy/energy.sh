#!/bin/sh
# An energy model changes no other number, and every energy can be computed
# again from the results file alone.
#
# usage: energy.sh WARPLOOM TEST_DIR RECOMPUTE NETWORK
set -eu
warploom=$1
here=$2
recompute=$3
network=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# Statistics of a file without energies, sorted, and the run's own summary.
rest() {
    "$warploom" stats "$1.h5" --csv |
        grep -vE '^[a-z0-9_.]+\.(energy|energy_[a-z_]+|power),' | sort
    grep -E '^ *(cycles|warp instructions|state digest) ' "$1.txt"
}

models="fitted raw qv100"
if [ "$network" = mesh ]; then
    models=fitted
fi
for model in none $models; do
    "$warploom" run "$here/run.lua" --set model=$model --set network="$network" \
        -o $model.h5 >$model.txt
    rest $model >$model.rest
done
"$warploom" stats fitted.h5 --check
for model in $models; do
    diff -u none.rest $model.rest
    "$recompute" $model.h5
done

# Without a model there is nothing of it; with one the parts have something.
if "$warploom" stats none.h5 --csv | grep -E 'energy|power,'; then
    echo "energies without a model" >&2
    exit 1
fi
for part in gpu gpu.sm gpu.sm.ldst gpu.noc gpu.l2 gpu.dram \
    gpu.sm.l1d.policy.apcm gpu.sm.policy.loscache gpu.l2.policy.loscache_l2
do
    "$warploom" stats fitted.h5 --csv |
        grep -E "^$part\.energy,[0-9]+,[0-9.e+-]*[1-9]" >/dev/null ||
        { echo "no energy in $part" >&2; exit 1; }
done

# Every part of a chip declares events; hosts and synthetic loads are none.
for part in gpu sm ldst cache crossbar network dram; do
    "$warploom" info $part | grep '^energies' >/dev/null ||
        { echo "$part declares no energies" >&2; exit 1; }
done

# The script's own total is the file's, but for what drains after the end.
"$warploom" energy fitted.h5 >table.txt
grep -E '^  all +[0-9.]+ [mun]?J' table.txt
grep -E '^joules [0-9.e+-]+, watts' fitted.txt

# A coefficient of the script is taken as it is.
if [ "$network" != mesh ]; then
    on=$("$warploom" stats raw.h5 gpu.l2.line_on_cycles --csv | cut -d, -f3 |
        tail -1)
    want=$(awk -v n="$on" 'BEGIN { printf "%.6g", n * 1e-12 }')
    got=$("$warploom" stats raw.h5 gpu.l2.energy_leak_on --csv | cut -d, -f3 |
        tail -1)
    if [ "$got" != "$want" ]; then
        echo "leak_on is $got J, expected $want" >&2
        exit 1
    fi
fi

# Any number of threads gives the same bits.
"$warploom" run "$here/run.lua" --set model=fitted --set network="$network" \
    --threads 2 -o threads.h5 >threads.txt
a=$("$warploom" stats fitted.h5 --digest)
b=$("$warploom" stats threads.h5 --digest)
if [ "$a" != "$b" ]; then
    echo "two threads: $b, one: $a" >&2
    exit 1
fi
