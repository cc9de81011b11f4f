#!/bin/sh
# Figures 5 and 6 of S-L1: prints their tables, and writes them into
# docs/validation.md and docs/validation/sl1.csv, which ./setup.sh figures draws.
# Ten minutes on a quiet core.
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
cp "$csv" "$root/docs/validation/sl1.csv"
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
