#!/bin/sh
# warploom papers on two small figures: every rule gives the verdict that it
# should, figures share their runs, a second start repeats none, and mistakes
# in claims are told.
#
# usage: papers.sh WARPLOOM SOURCE_DIR
set -eu
warploom=$1
here=$(cd "$2" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

run() { # FOLDER; what it printed is in log, its numbers in out/results.md
    status=0
    "$warploom" papers two-level --from "$1" --size tiny -j 2 -o out $why \
        > log 2> err || status=$?
    # Without the library of charts there is a report in Markdown only.
    if grep -q 'setup.sh charts' err; then
        echo "no library of charts: the page was not made"
        status=0
    fi
    return $status
}
expect() {
    grep -q "$1" "$2" || { echo "no '$1' in:"; cat log err; exit 1; }
}

why=
run "$here" || { cat log err; exit 1; }
expect '8 points: 4 run, 4 shared by figures, 0 done before, 0 failed' log
expect '^two-level *50 *15 *11 *15 *6 *1 *2$' log
for verdict in 'holds:15' 'holds partly:11' 'does not hold:15' \
    'undecided:6' 'by construction:1' 'cannot be tested:2'; do
    count=$(grep -c "nowhere .*| ${verdict%:*} |\$" out/results.md)
    [ "$count" = "${verdict#*:}" ] || { echo "$count, $verdict"; exit 1; }
done
if [ -f out/report.html ]; then
    for text in 'id="two-level-fig02"' 'fig02.sweep/results.h5' \
        'a small machine' 'class="chart"' 'class="verdict bad"' \
        "each paper's headline"; do
        grep -q "$text" out/report.html || { echo "page: no $text"; exit 1; }
    done
fi
grep -q '^| two-level | effect | 1.3 | 1.3 +- 0.05 | 100 % |  | holds. |$' \
    out/results.md || { echo "no headline"; cat out/results.md; exit 1; }
for text in '^| atax | 0 % | .* | no |$' '^| reduction | .* | 100 % | [0-9]* | yes |$' \
    '| 0.5 | 0\.3[0-9]*; of admitted benchmarks 0\.6[0-9]* (holds) |'; do
    grep -q "$text" out/results.md || {
        echo "no '$text'"; cat out/results.md; exit 1; }
done
# What a claim's reason is when its script has run, and before.
grep -q '^\* effect: with another scheduler (why-gto was not run)$' \
    out/results.md || { echo "no reason"; cat out/results.md; exit 1; }
why=--why
run "$here" || { cat log err; exit 1; }
grep -q '^\* effect: with another scheduler: 1.25, which holds (why-gto)$' \
    out/results.md || { echo "no number"; cat out/results.md; exit 1; }
why=
# A script of reasons alone: the claims that it is about.
"$warploom" papers two-level why-gto --from "$here" --size tiny -o alone -q \
    > log 2> err || grep -q 'setup.sh charts' err || { cat log err; exit 1; }
grep -q '^\* effect: with another scheduler: 1.25, which holds (why-gto)$' \
    alone/results.md || { echo "no reason alone"; cat alone/results.md; exit 1; }
# A paper that was run before into the same folder is on the page, too.
mkdir -p out/apcm out/dacache
printf '| Another | 1 | 1 | 0 | 0 | 0 | 0 | 0 |\n\n\n## Another\n' \
    > out/apcm/section.md
echo 'damaged' > out/dacache/section.md
run "$here"
if [ "$(grep -c '^| Another | 1 |' out/results.md)" != 1 ] ||
    [ "$(grep -c '^## ' out/results.md)" != 2 ] ||
    grep -q damaged out/results.md; then
    echo "not all papers are on the page:"; cat out/results.md; exit 1
fi
rm out/apcm/section.md
run "$here"
cp out/results.md first.md
run "$here"
expect '8 points: 0 run, 0 shared by figures, 8 done before, 0 failed' log
cmp first.md out/results.md

# A folder that is not below the working directory: points share streams there.
mkdir elsewhere
cp log all.log
(cd elsewhere && "$warploom" papers two-level --from "$here" --size tiny -j 2 \
    -o "$dir/apart") > log 2> err || grep -q 'setup.sh charts' err ||
    { cat log err; exit 1; }
expect '8 points: 4 run, 4 shared by figures, 0 done before, 0 failed' log

# Which launches are timed is passed on.
"$warploom" papers two-level --from "$here" --size tiny -j 2 -o timed \
    --kernels none > log 2> err && { echo "nothing was timed"; exit 1; }
expect '0 done before, 8 failed' log
expect 'none of .* timed: --kernels is "none", which no kernel' err

# Mistakes.
mkdir -p bad/two-level
cp "$here"/two-level/*.lua bad/two-level
wrong() { # CLAIMS MESSAGE
    echo "$1" > bad/two-level/claims.lua
    if run bad; then echo "'$1' was taken"; exit 1; fi
    expect "$2" err
}
wrong 'return { { says = "x", where = "y" } }' "claim 1 ('x') needs one of"
wrong 'return { { says = "x", where = "y", figure = "fig9",
    value = function() return 1 end, paper = 1 } }' 'there is no fig9'
wrong 'return { { says = "x", where = "y", figure = "fig01",
    value = function(t) return t.speed:value {} end, paper = 1 } }' \
    "claim 'x'"
wrong 'return 3' 'returns no list'
wrong 'return {' 'syntax error'
# The same as JSON: all that results.md has, and nothing else on stdout.
"$warploom" papers --list --json --from "$here" > list.json
python3 - "$PWD/list.json" <<'END'
import json, sys
[paper] = json.load(open(sys.argv[1]))
assert paper["paper"] == "two-level", paper
assert "fig01" in paper["figures"] and "fig02" in paper["figures"], paper
END
"$warploom" papers two-level --from "$here" --size tiny -j 2 -o out --json \
    > made.json 2> err || grep -q 'setup.sh charts' err
python3 - made.json out/results.md "$(grep -c 'setup.sh charts' err)" <<'END'
import json, sys
made = json.load(open(sys.argv[1]))
[paper] = made["papers"]
without_page = int(sys.argv[3])  # there is no library of charts
assert made["status"] == min(without_page, 1) and made["folder"] == "out", made
assert len(paper["claims"]) == 50, len(paper["claims"])
counts = {}
for claim in paper["claims"]:
    counts[claim["verdict"]] = counts.get(claim["verdict"], 0) + 1
    number, paper_says = claim["number"], claim["paper"]
    if number is not None and claim["half"] == 0:
        assert f"{number:.4g}" in claim["ours"], claim
assert counts == {k: v for k, v in paper["counts"].items() if v}, counts
assert counts["holds"] == 15 and counts["undecided"] == 6, counts
points = sum(figure["points"] for figure in paper["figures"])
assert points == sum(figure["before"] for figure in paper["figures"]) == 8
text = open(sys.argv[2]).read()
for claim in paper["claims"]:
    assert claim["says"] in text, claim
END
if "$warploom" papers two-levl --from "$here" 2> err; then exit 1; fi
expect "did you mean 'two-level'" err
if "$warploom" papers two-level fig3 --from "$here" 2> err; then exit 1; fi
expect "has no 'fig3'" err

# A figure of a statistic that nobody has: the page says so, and the status.
cp "$here"/two-level/claims.lua bad/two-level
sed 's/warp_analysis.issues_by_rank/warp_analysis.nothing/' \
    "$here"/two-level/fig02.lua > bad/two-level/fig02.lua
rm -r out
if run bad && [ -f out/report.html ]; then echo "no chart, and no word"; exit 1; fi
if [ -f out/report.html ]; then
    expect "1 chart of the page could not be drawn: .*nothing" err
    expect 'report.html: 5 charts' log
fi
wrong 'return { { says = "x", where = "y", figure = "fig01", paper = 1,
    effect = function() return 1 end } }' "has no 'neutral'"
wrong 'return { { says = "x", where = "y", figure = "fig01", paper = 1,
    value = function() return 1 end, within = 0.5 } }' "'within' is no function"
wrong 'return { { says = "x", where = "y", figure = "fig01", paper = 1,
    value = function() return 1 end, nera = 0.5 } }' "has 'nera'"
wrong 'return { { says = "x", where = "y", figure = "fig01", paper = 1,
    value = function() return 1 end, why = { script = "why-gto" } } }' \
    "has a 'why' whose"
echo "papers: 50 claims, 4 scripts, 11 mistakes"
