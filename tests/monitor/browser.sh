#!/bin/sh
# The live monitor's page in a real browser, headless: it shows the run, charts
# are drawn, its buttons work, and nothing is written to the console.
# usage: browser.sh PROGRAM SOURCE_DIR [FOLDER for screenshots]
set -eu
program=$1 root=$2
. "$root/tests/look/page.sh"
find_browser
need_charts
work=$(mktemp -d)
pid=
trap '[ -z "$pid" ] || kill "$pid" 2>/dev/null; rm -rf "$work"' EXIT
cd "$work"

# A run that waits for the page, three seconds on.
cp "$root/tests/monitor/run.lua" run.lua # the page shows its path
"$program" run run.lua --set passes=1000 --monitor \
    >out.txt 2>err.txt &
pid=$!
address=
while [ -z "$address" ]; do
    sleep 0.1
    address=$(sed -n 's/^warploom: monitor at //p' err.txt)
done
python3 "$root/tests/monitor/page.py" "$address" wait pause

look() { # OPTION...
    open_page --virtual-time-budget=8000 \
        --host-resolver-rules="MAP * ~NOTFOUND , EXCLUDE 127.0.0.1" "$@"
}
failed=0
fail() {
    echo "FAIL $*"
    failed=1
}
look --dump-dom "$address" >dom.html 2>log.txt
for text in 'gpu\[0\].sm\[14\]' 'thousand warp instructions/s' 'bound by' \
    'micro_stream_write' '>paused<' 'gpu.sm.l1d:down' 'data-shown="[1-9]'; do
    grep -q "$text" dom.html || fail "the page has no $text"
done
if grep 'CONSOLE' log.txt || grep -o 'data-error="[^"]*"' dom.html; then
    fail "something went wrong on the page"
fi
# Three charts with lines of more than one point.
[ "$(grep -o 'class="mark-line role-mark[^>]*>' dom.html | wc -l)" -ge 3 ] ||
    fail "charts are missing"
look --window-size=1000,3000 --screenshot="$work/monitor.png" "$address" \
    >/dev/null 2>&1
[ "$(wc -c <monitor.png)" -gt 30000 ] || fail "the screenshot is empty"
# The picture of docs/monitor.md: its numbers are of the host that drew it, so it
# is drawn anew with LOOM_BLESS=1 only.
look --window-size=1000,1560 --screenshot="$work/page.png" "$address" \
    >/dev/null 2>&1
if [ "${LOOM_BLESS:-}" = 1 ]; then
    cp page.png "$root/docs/monitor.png"
fi
[ -s "$root/docs/monitor.png" ] &&
    [ "$(wc -c <page.png)" -gt "$(($(wc -c <"$root/docs/monitor.png") / 2))" ] ||
    fail "docs/monitor.png is of another page; LOOM_BLESS=1 draws it anew"
look --window-size=390,2300 --screenshot="$work/narrow.png" "$address" \
    >/dev/null 2>&1

# Charts are there or not: the rest of the page is.
python3 "$root/tests/monitor/page.py" "$address" stop
wait "$pid" || fail "the run ended with $?"
pid=
if [ $# -gt 2 ]; then
    mkdir -p "$3"
    cp ./*.html ./*.png "$3"
fi
exit $failed
