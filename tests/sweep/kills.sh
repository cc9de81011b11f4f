#!/bin/sh
# A sweep that is killed at random moments loses at most what was under way
# and repeats nothing that was finished.
#
# usage: kills.sh WARPLOOM SCRIPT KILLS [OPTION OF SWEEP]...
# Nightly, on the example of 64 points: the target kills_nightly.
set -eu
warploom=$1
script=$2
kills=$3
shift 3
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
fail() { echo "kills: $*" >&2; exit 1; }

finished() { (cd d/points 2>/dev/null && stat -c '%n %i %Y' ./*.note 2>/dev/null) | sort; }

begin=$(date +%s%N)
"$warploom" sweep "$script" "$@" -j2 --quiet -o whole
took=$((($(date +%s%N) - begin) / 1000000)) # milliseconds, on this host, now
points=$(ls whole/points | grep -c 'note$')
n=0
rounds=0
killed=0
: >seen
while [ $n -lt "$kills" ]; do
    n=$((n + 1))
    setsid "$warploom" sweep "$script" "$@" -j2 --quiet -o d >out 2>&1 &
    pid=$!
    # The same moments each time, as parts of the time that a whole one takes,
    # of which others before have done some.
    sleep "$(awk -v n=$n -v took="$took" 'BEGIN {
        srand(n); printf "%.3f", (20 + rand() * took / 2) / 1000 }')"
    # The sweep alone, or with the processes of its points.
    if [ $((n % 2)) = 0 ]; then target=$pid; else target=-$pid; fi
    if kill -s KILL -- "$target" 2>/dev/null; then killed=$((killed + 1)); fi
    wait $pid 2>/dev/null || true
    finished >now
    [ -z "$(comm -23 seen now)" ] || fail "kill $n: a finished point was lost or repeated"
    cp now seen
    if [ "$(wc -l <now)" = "$points" ] || [ $n = "$kills" ]; then
        "$warploom" sweep "$script" "$@" -j2 --quiet -o d
        finished >now
        [ -z "$(comm -23 seen now)" ] || fail "after kill $n: a finished point was repeated"
        cmp whole/results.h5 d/results.h5 || fail "after kill $n: other results"
        [ -z "$(ls d/points | grep -E 'tmp$|working$')" ] || fail "litter"
        rm -rf d
        : >seen
        rounds=$((rounds + 1))
    fi
done
[ $killed -ge $((kills / 2)) ] || fail "only $killed of $kills were alive to be killed"
echo "kills: $killed of $kills killed; $rounds sweeps of $points points completed with the same bytes"
