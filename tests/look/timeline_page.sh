#!/bin/sh
# The page of a timeline in a real browser, headless and without a network: it
# is drawn, zooms from the run to the parts of one load, and counts each load
# (timeline.js).
# usage: timeline_page.sh PROGRAM SOURCE_DIR [FOLDER for page and screenshot]
set -eu
program=$1 root=$2
. "$root/tests/look/page.sh"
find_browser
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
"$program" run -q "$root/tests/look/timeline_run.lua" --timeline t.json -o t.h5
"$program" look -q t.json -o t.html --title "atax on two SMs"
failed=0
try_page t timeline.js || failed=1
open_page --screenshot="$work/t.png" "file://$work/tried.html" >/dev/null 2>&1
if [ "$(wc -c <t.png)" -lt 20000 ]; then
    echo "the screenshot is empty"
    failed=1
fi
if [ $# -gt 2 ]; then
    mkdir -p "$3"
    cp t.html t.png "$3"
fi
exit $failed
