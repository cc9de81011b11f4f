#!/bin/sh
# Measures sampled runs beside full ones, and writes docs/sampling.md's tables:
# the programs of inputs.lua on three machines, and policies on their papers'.
#
# usage: sampling.sh WARPLOOM SOURCE_DIR FOLDER
#
# Takes some hours of one core; stopped and started again with the same FOLDER
# it goes on.
set -eu
warploom=$(realpath "$1")
root=$(realpath "$2")
mkdir -p "$3"
folder=$(realpath "$3")
here=$root/tests/sampling
export WARPLOOM_PATH="$here"

# One point at a time, so that host times are comparable.
sweep() {
    what=$1
    shift
    "$warploom" sweep "$here/$what.lua" -j 1 --csv -o "$folder/$what" "$@" \
        >>"$folder/$what.log"
}

# What was left out nowhere is a full run, which needs no second one.
sweep programs --only mode=sampled
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    $at["mode"] == "sampled" && $at["left"] > 0 {
        of[$at["preset"]] = of[$at["preset"]] "," $at["bench"]
    }
    END { for (preset in of) print preset, substr(of[preset], 2) }' \
    "$folder/programs/results.csv" | sort >"$folder/full"
while read -r preset benches; do
    sweep programs --only "mode=full,preset=$preset,bench=$benches"
done <"$folder/full"
sweep policies
exec lua5.4 "$here/page.lua" "$folder/programs/results.csv" \
    "$folder/policies/results.csv" "$root/docs/sampling.md"
