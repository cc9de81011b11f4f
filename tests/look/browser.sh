#!/bin/sh
# Reports in a real browser, headless and without a network: they are drawn,
# without errors on the console; zooming, moving, legends, tooltips and both
# ways of saving work; no text sticks out or lies on another (browser.js).
# usage: browser.sh PROGRAM SOURCE_DIR [FOLDER for reports and screenshots]
set -eu
program=$1 root=$2
. "$root/tests/look/page.sh"
find_browser
need_charts
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
"$program" -q "$root/tests/lua/looking_runs.lua" -o one.h5
"$program" -q "$root/tests/lua/looking_runs.lua" --set size=8KiB -o two.h5
"$program" report -q one.h5 -o one.html
"$program" report -q one.h5 two.h5 -o both.html
# The example with three axes: 8 benchmarks, 2 schedulers, 2 of its 4 sizes.
sed 's/, "64KiB", "128KiB"//' "$root/examples/sweep.lua" >sweep.lua
"$program" sweep -q sweep.lua -j 2 -o l1_size >/dev/null
"$program" report -q l1_size/results.h5 -o sweep.html
# Fills with patterns, drawn and saved; small figures side by side.
"$program" plot -q l1_size/results.h5 speedup --hatch -o hatched.html
"$program" plot -q l1_size/results.h5 speedup --facet l1 --hatch -o facets.html

failed=0
# Of a page for SCREENSHOT, in a window of that size.
shot() { # PAGE SIZE SCREENSHOT
    window=$2
    open_page --screenshot="$work/$3.png" "file://$work/$1.html" >/dev/null 2>&1
    unset window
}
# On a telephone nothing sticks out of a figure, or lies on another.
for page in one both sweep hatched facets; do
    window=390,1400
    try_page "$page" narrow.js || failed=1
    shot "$page" 390,1400 "$page-narrow"
done
for page in hatched facets; do
    try_page "$page" patterns.js || failed=1
    shot "$page" 1000,600 "$page"
done
for page in one both sweep; do
    try_page "$page" || failed=1
    open_page --screenshot="$work/$page.png" "file://$work/$page.html" \
        >/dev/null 2>&1
    # A page with charts does not compress to nothing.
    if [ "$(wc -c <"$page.png")" -lt 20000 ]; then
        echo "$page: the screenshot is empty"
        failed=1
    fi
done
if [ $# -gt 2 ]; then
    mkdir -p "$3"
    cp ./*.html ./*.png "$3"
fi
exit $failed
