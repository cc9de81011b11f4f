#!/bin/sh
# The built site in a headless browser without a network: the search finds a
# word, from a server and from the disk; dark mode; every page fits a narrow
# screen (browser.js).
# usage: browser.sh SITE SOURCE_DIR [FOLDER for screenshots]
set -eu
site=$1 root=$2
. "$root/tests/look/page.sh"
if [ ! -f "$site/index.html" ]; then
    echo "SKIPPED: the site was not built"
    exit 77
fi
find_browser
work=$(mktemp -d)
server=""
trap '[ -z "$server" ] || kill "$server"; rm -rf "$work"' EXIT
cd "$work"
cp -r "$site" site
failed=0
complain() {
    echo "$*"
    failed=1
}

python3 -c '
import functools, http.server
class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *words):
        pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0),
    functools.partial(Quiet, directory="site"))
print(server.server_port, flush=True)
server.serve_forever()
' >port &
server=$!
while [ ! -s port ]; do sleep 0.1; done
served=http://127.0.0.1:$(cat port)

# A word of one tutorial's page and one that no page has.
for from in "$served" "file://$work/site"; do
    open_page --dump-dom "$from/search.html?q=thrashing" >dom.html 2>log.txt
    grep -q 'href="tutorial/2-numbers.html' dom.html ||
        complain "$from: the search does not find 'thrashing'"
    open_page --dump-dom "$from/search.html?q=zzyzx" >dom.html 2>>log.txt
    grep -q 'href="tutorial' dom.html && sed -n '/search-results/,/<\/div>/p' \
        dom.html | grep -q '<li>' && complain "$from: it finds 'zzyzx'"
    # From the disk a browser shows no excerpts, and says so.
    grep CONSOLE log.txt | grep -v "file\" is not supported\|Failed to fetch" &&
        complain "$from: something was written to the console"
done

value() {
    grep -o "data-$1=\"[^\"]*\"" dom.html | head -n 1 | cut -d '"' -f 2
}
look() { # PAGES [OPTION of the browser]...
    {
        echo "<body data-pages=\"$1\"><script>"
        cat "$root/tests/site/browser.js"
        echo "</script></body>"
    } >site/tried.html
    shift
    open_page "$@" --dump-dom "$served/tried.html" >dom.html 2>log.txt
    echo "$(value looked) pages looked at; first $(value first)," \
        "light $(value light), dark $(value dark)"
    if [ "$(value problems)" != 0 ]; then
        complain "on a narrow screen, found:"
        sed -n '/id="found"/,/<\/pre>/p' dom.html
    fi
}
pages=$(cd site && find . -name '*.html' | sort | sed 's,^\./,,' |
    tr '\n' ' ' | sed 's/ $//')
look "$pages"
[ "$(value looked)" = "$(echo "$pages" | wc -w)" ] ||
    complain "not all pages were looked at"
[ -n "$(value dark)" ] && [ "$(value light)" != "$(value dark)" ] ||
    complain "the switch for dark mode does nothing"
[ "$(value first)" = "$(value light)" ] || complain "it is not light at first"
look index.html --blink-settings=preferredColorScheme=0
[ "$(value first)" = "$(value dark)" ] ||
    complain "it is not dark where the system is"

if [ $# -gt 2 ]; then
    mkdir -p "$3"
    open_page --screenshot="$3/index.png" "$served/index.html" 2>/dev/null
    open_page --screenshot="$3/search.png" "$served/search.html?q=thrashing" \
        2>/dev/null
    open_page --window-size=390,900 --screenshot="$3/narrow.png" \
        "$served/tutorial/2-numbers.html" 2>/dev/null
    open_page --blink-settings=preferredColorScheme=0 \
        --screenshot="$3/dark.png" "$served/tutorial/2-numbers.html" 2>/dev/null
fi
exit $failed
