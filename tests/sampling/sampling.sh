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
for what in programs policies; do
    "$warploom" sweep "$here/$what.lua" -j 1 --csv -o "$folder/$what" \
        >"$folder/$what.log"
done
exec lua5.4 "$here/page.lua" "$folder/programs/results.csv" \
    "$folder/policies/results.csv" "$root/docs/sampling.md"
