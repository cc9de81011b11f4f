#!/bin/sh
# Figures of papers: as wide as a column and a page, the same bytes each time, PDF
# with fonts in it, patterns as vectors.
#
# usage: figures.sh WARPLOOM SOURCE_DIR
set -eu
program=$(realpath "$1")
root=$(realpath "$2")
. "$root/tests/look/page.sh"
need_charts
if ! command -v rsvg-convert >/dev/null 2>&1; then
    echo "SKIPPED: no rsvg-convert here; no PDF is made"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
"$program" -q "$root/tests/lua/looking_runs.lua" -o one.h5
"$program" -q "$root/tests/lua/looking_runs.lua" --set size=8KiB -o two.h5
for width in column page; do
    for kind in svg pdf; do
        "$program" plot -q one.h5 two.h5 gpu.sm.l1d.misses gpu.sm.l1d.hits --hatch \
            --width $width -o $width.$kind
        "$program" plot -q one.h5 two.h5 gpu.sm.l1d.misses gpu.sm.l1d.hits --hatch \
            --width $width -o again.$kind
        cmp $width.$kind again.$kind
    done
    "$program" plot -q one.h5 two.h5 gpu.sm.issue_slots --share --facet run \
        --by kernel --width $width -o $width-facets.pdf
done
python3 "$root/tests/look/figures.py"
