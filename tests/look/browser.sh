#!/bin/sh
# Reports in a real browser, headless and without a network: they are drawn,
# without errors on the console; zooming, moving, legends, tooltips and both
# ways of saving work; no text sticks out or lies on another (browser.js).
# usage: browser.sh PROGRAM SOURCE_DIR [FOLDER for reports and screenshots]
set -eu
program=$1 root=$2
browser=""
for name in chromium-headless-shell chromium chromium-browser google-chrome; do
    if command -v "$name" >/dev/null 2>&1; then
        browser=$name
        break
    fi
done
if [ -z "$browser" ]; then
    echo "SKIPPED: no chromium here; reports are not tried in a browser"
    exit 77
fi
if ! "$program" doctor | grep -q '^ok *charts'; then
    echo "SKIPPED: no Vega-Lite here (./setup.sh charts); no reports are tried"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
"$program" -q "$root/tests/lua/looking_runs.lua" -o one.h5
"$program" -q "$root/tests/lua/looking_runs.lua" --set size=8KiB -o two.h5
"$program" report -q one.h5 -o one.html
"$program" report -q one.h5 two.h5 -o both.html
# The example with three axes: 8 benchmarks, 2 schedulers, 4 sizes.
"$program" sweep -q "$root/examples/sweep.lua" -j 2 -o l1_size >/dev/null
"$program" report -q l1_size/results.h5 -o sweep.html

open_page() {
    "$browser" --headless --no-sandbox --disable-gpu --hide-scrollbars \
        --user-data-dir="$work/profile" --enable-logging=stderr \
        --host-resolver-rules="MAP * ~NOTFOUND" \
        --virtual-time-budget=60000 --window-size=1000,1400 "$@"
}

failed=0
for page in one both sweep; do
    sed "s|</body></html>|<script>|" "$page.html" >tried.html
    cat "$root/tests/look/browser.js" >>tried.html
    echo "</script></body></html>" >>tried.html
    open_page --dump-dom "file://$work/tried.html" >dom.html 2>log.txt
    if ! grep -q 'data-done="yes"' dom.html; then
        echo "$page: the report did not get ready"
        failed=1
    fi
    if ! grep -q 'data-problems="0"' dom.html ||
        ! grep -q 'data-errors="0"' dom.html; then
        echo "$page: found:"
        sed -n '/id="found"/,/<\/pre>/p' dom.html
        failed=1
    fi
    if grep 'CONSOLE' log.txt; then
        echo "$page: something was written to the console"
        failed=1
    fi
    open_page --screenshot="$work/$page.png" "file://$work/$page.html" \
        >/dev/null 2>&1
    # A page with charts does not compress to nothing.
    if [ "$(wc -c <"$page.png")" -lt 20000 ]; then
        echo "$page: the screenshot is empty"
        failed=1
    fi
    grep -o 'data-charts="[0-9]*"' dom.html | sed "s/^/$page: /"
    grep -o 'data-counts="[^"]*"' dom.html | sed "s/^/$page: /"
done
if [ $# -gt 2 ]; then
    mkdir -p "$3"
    cp ./*.html ./*.png "$3"
fi
exit $failed
