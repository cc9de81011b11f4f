#!/bin/sh
# `warploom papers`, killed at moments all over its run and started again:
# what was simulated is neither simulated again nor lost, a run that two figures
# need is simulated once, and the end is that of an undisturbed run.
#
# usage: killed.sh WARPLOOM SOURCE_DIR [KILLS]
set -eu
warploom=$1
here=$(cd "$2" && pwd)
kills=${3:-12}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
fail() { echo "killed: $*" >&2; exit 1; }

# More points than papers.sh has: 6 for each scheduler, those of fig01 twice.
mkdir -p from/two-level
cp "$here"/two-level/*.lua from/two-level
sed -i 's/{ "atax", "reduction" }/{ "atax", "reduction", "bicg", "mvt", "gemm",\
"bfs" }/' from/two-level/common.lua
papers() { # FOLDER
    "$warploom" papers two-level --from from --size tiny -j 2 -o "$1"
}
# Without the library of charts there is a report in Markdown only.
whole() { # FOLDER; the last line is in line
    papers "$1" >log 2>err || grep -q 'setup.sh charts' err ||
        { cat log err; fail "$1 was not finished"; }
    line=$(tail -n 1 log)
}
# Runs and points that are finished, with what tells if they were written again.
finished() {
    (cd out 2>/dev/null &&
        stat -c '%n %i %Y' store/*.run two-level/*/points/*.note 2>/dev/null) |
        sort
}

# Has the group processes that are not at their end?
at_work() {
    ps -e -o pgid=,stat= | awk -v group="$1" \
        '$1 == group && $2 !~ /^Z/ { found = 1 } END { exit !found }'
}

whole whole
[ "$line" = "24 points: 12 run, 12 shared by figures, 0 done before, 0 failed: \
whole" ] || fail "undisturbed: '$line'"

n=0 killed=0 rounds=0
: >seen
while [ $n -lt "$kills" ]; do
    n=$((n + 1))
    setsid "$warploom" papers two-level --from from --size tiny -j 2 -o out \
        >log 2>err &
    pid=$!
    sleep "$(awk -v n=$n 'BEGIN { srand(n); printf "%.3f", 0.1 + rand() }')"
    # The command alone, or with the processes of its points.
    if [ $((n % 2)) = 0 ]; then target=$pid; else target=-$pid; fi
    if kill -s KILL -- "$target" 2>/dev/null; then killed=$((killed + 1)); fi
    wait $pid 2>/dev/null || true
    finished >now
    [ -z "$(comm -23 seen now)" ] ||
        fail "kill $n: what was done is lost or was done again"
    cp now seen
    [ "$(grep -c note now)" = 24 ] || [ $n = "$kills" ] || continue
    # Points whose sweep is gone may be at work still.
    kill -s KILL -- "-$pid" 2>/dev/null || true
    while at_work $pid; do sleep 0.1; done
    finished >seen
    ran=$(grep -c 'store/' seen || true)
    notes=$(grep -c note seen || true)
    whole out
    finished >now
    [ -z "$(comm -23 seen now)" ] || fail "after kill $n: repeated"
    [ "$(grep -c 'store/' now)" = 12 ] ||
        fail "after kill $n: $(grep -c 'store/' now) runs for 12 points"
    [ "$line" = "24 points: $((12 - ran)) run, $((12 + ran - notes)) shared by \
figures, $notes done before, 0 failed: out" ] ||
        fail "after kill $n, $ran runs and $notes points were done: '$line'"
    cmp whole/results.md out/results.md || fail "after kill $n: other results"
    rm -rf out
    : >seen
    rounds=$((rounds + 1))
done
[ $killed -ge $((kills / 2)) ] ||
    fail "only $killed of $kills were alive to be killed"
echo "killed: $killed of $kills killed, $rounds times finished as undisturbed"
