#!/bin/sh
# Attaching all analysis policies changes no other number of the results file:
# every statistic of every instance at every snapshot and in a series.
#
# usage: analysis.sh WARPLOOM SOURCE_DIR
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
script=$2/tests/policies/analysis_run.lua
for watch in false true; do
    "$1" run -q "$script" --set watch=$watch -o "$folder/$watch.h5"
    "$1" export "$folder/$watch.h5" > "$folder/$watch.all"
    # Without the column that says which run it is.
    grep -v -e _analysis -e ideal_gating "$folder/$watch.all" | cut -d, -f2- \
        > "$folder/$watch.csv"
done
if ! grep -q _analysis "$folder/true.all"; then
    echo "the policies were not there"
    exit 1
fi
if ! cmp "$folder/false.csv" "$folder/true.csv"; then
    diff "$folder/false.csv" "$folder/true.csv" | head
    exit 1
fi
lines=$(wc -l < "$folder/false.csv")
[ "$lines" -gt 10000 ]
echo "$lines numbers are the same"
