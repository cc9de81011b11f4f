#!/bin/sh
# Figures 5 and 6 of S-L1: prints their tables, draws docs/validation/sl1.svg
# and writes the tables into docs/validation.md.  Ten minutes on a quiet core;
# needs gnuplot.
#
# usage: sl1.sh WARPLOOM SOURCE_DIR [CSV]
#
# CSV: keep the measurements there; if the file is there already, it and
# CSV.txt, the tables, are used instead of measuring again.
set -eu
warploom=$(realpath "$1")
root=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
csv=${3:-$work/sl1.csv}
here=$root/tests/validate
page=$root/docs/validation.md
if [ ! -f "$csv" ]; then
    "$warploom" run -q --allow "$(dirname "$csv")" "$here/sl1.lua" \
        --set full=true --set csv="$csv" \
        >"$csv.txt"
fi
cat "$csv.txt"
gnuplot -e "csv='$csv'; out='$root/docs/validation'" "$here/sl1.gp"
awk -v tables="$csv.txt" '
    /^<!-- end -->/ { skip = 0 }
    !skip
    /^<!-- measured: sl1 -->/ {
        print "```text"
        first = 1
        while ((getline line < tables) > 0) {
            # Of fifteen curves some; the plot has all.
            if (line ~ /^ +[0-9]+ blocks/ && line !~ /^ +(1|5|10|15) blocks/)
                continue
            if (!first || line != "") print line
            first = 0
        }
        print "```"
        skip = 1
    }' "$page" >"$work/page"
cat "$work/page" >"$page"
