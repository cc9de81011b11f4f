# Pages in a headless browser without a network: sourced by tests that make
# reports or the manual's site.  Needs $program, $root (the source tree) and a
# working directory of their own.

# Sets $browser; ends the test as skipped where there is none.
find_browser() {
    browser=""
    for name in chromium-headless-shell chromium chromium-browser google-chrome
    do
        if command -v "$name" >/dev/null 2>&1; then
            browser=$name
            break
        fi
    done
    if [ -z "$browser" ]; then
        echo "SKIPPED: no chromium here; nothing is tried in a browser"
        exit 77
    fi
}

# Ends the test as skipped where there is nothing that draws charts.
need_charts() {
    if ! "$program" doctor | grep -q '^ok *charts'; then
        echo "SKIPPED: no Vega-Lite here (./setup.sh charts); no reports are" \
            "tried"
        exit 77
    fi
}

open_page() { # OPTION... URL
    "$browser" --headless --no-sandbox --disable-gpu --hide-scrollbars \
        --user-data-dir="$PWD/profile" --enable-logging=stderr \
        --host-resolver-rules="MAP * ~NOTFOUND, EXCLUDE 127.0.0.1" \
        --virtual-time-budget=60000 --window-size="${window:-1000,1400}" "$@"
}

# Works PAGE.html as a reader would (SCRIPT, or browser.js), and says what was
# wrong;
# leaves what became of it in dom.html.
try_page() { # PAGE [SCRIPT]
    wrong=0
    sed "s|</body></html>|<script>|" "$1.html" >tried.html
    cat "$root/tests/look/${2-browser.js}" >>tried.html
    echo "</script></body></html>" >>tried.html
    open_page --dump-dom "file://$PWD/tried.html" >dom.html 2>log.txt
    if ! grep -q 'data-done="yes"' dom.html; then
        echo "$1: the report did not get ready"
        wrong=1
    fi
    if ! grep -q 'data-problems="0"' dom.html ||
        ! grep -q 'data-errors="0"' dom.html; then
        echo "$1: found:"
        sed -n '/id="found"/,/<\/pre>/p' dom.html
        wrong=1
    fi
    if grep 'CONSOLE' log.txt; then
        echo "$1: something was written to the console"
        wrong=1
    fi
    grep -o 'data-charts="[0-9]*"' dom.html | sed "s/^/$1: /"
    grep -o 'data-counts="[^"]*"' dom.html | sed "s/^/$1: /"
    return $wrong
}
