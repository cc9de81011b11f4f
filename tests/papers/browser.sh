#!/bin/sh
# The page of `warploom papers` in a real browser: every chart that it says it
# has is drawn, without errors, and works (tests/look/browser.js); every claim
# has its verdict.
#
# usage: browser.sh WARPLOOM SOURCE_DIR [FOLDER that papers wrote]
set -eu
program=$1 root=$2 made=${3:-}
. "$root/tests/look/page.sh"
find_browser
need_charts
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
[ -z "$made" ] || made=$(cd "$made" && pwd)
cd "$work"
if [ -z "$made" ]; then
    made=$work/out
    "$program" papers two-level --from "$root/tests/papers" --size tiny -j 2 \
        -o "$made" >log 2>err || { cat log err; exit 1; }
    said=$(sed -n 's|^wrote .*report.html: \([0-9]*\) charts.*|\1|p' log)
    [ "$said" = 6 ] || { echo "$said charts, expected 6"; exit 1; }
fi
cp "$made/report.html" papers.html
failed=0
try_page papers || failed=1
charts=$(grep -c '<figure' papers.html)
drawn=$(sed -n 's/.*data-charts="\([0-9]*\)".*/\1/p' dom.html)
if [ "$charts" != "$drawn" ]; then
    echo "papers: $drawn charts drawn, $charts on the page"
    failed=1
fi
rows=$(grep -o '<td class="verdict [a-z]*">[a-z]' papers.html | wc -l)
claims=$(grep -vE '^\| paper \|' "$made/results.md" |
    grep -cE '\| (holds( partly)?|does not hold|undecided|by construction|cannot be tested)\.? \|$')
if [ "$rows" != "$claims" ] || [ "$claims" = 0 ]; then
    echo "papers: $rows verdicts on the page, $claims in results.md"
    failed=1
fi
[ $failed = 0 ] && echo "papers: $drawn charts drawn, $claims verdicts"
exit $failed
