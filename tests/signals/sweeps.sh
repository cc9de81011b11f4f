#!/bin/sh
# Sweeps that get signals at some moments, and are started again: what is done
# stays, nothing is left half written, and the bytes are those of a sweep that
# nobody disturbed.
#
# usage: sweeps.sh WARPLOOM SEND SCRIPT COUNT [OPTION OF SWEEP]...
set -eu
warploom=$1
send=$2
script=$3
count=$4
here=$(dirname "$0")
shift 4
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
. "$here/common.sh"
cd "$dir"

finished() { (cd d/points 2>/dev/null && stat -c '%n %i %Y' ./*.note 2>/dev/null) | sort; }

start=$(now_ms)
"$warploom" sweep "$script" "$@" -j2 -q -o whole >out 2>&1
span=$(($(now_ms) - start))
points=$(find whole/points -name '*.note' | wc -l)

hit=0
rounds=0
: >seen
for n in $(seq 1 "$count"); do
    signal=$(which "$n")
    how=
    [ $((n % 2)) = 0 ] && how=g # with the processes of its points
    got=0
    "$send" "$signal$how" "$(moment "$n" $((span / 2)))" "$warploom" sweep \
        "$script" "$@" -j2 -q -o d >out 2>&1 || got=$?
    mkdir -p d
    no_litter d
    finished >now
    [ -z "$(comm -23 seen now)" ] ||
        fail "signal $n: a finished point was lost or repeated"
    cp now seen
    case $got in
    0) cmp whole/results.h5 d/results.h5 || fail "signal $n: other results" ;;
    $((128 + signal)))
        hit=$((hit + 1))
        left=$((points - $(wc -l <now)))
        if [ -e d/results.h5 ]; then
            h5dump d/results.h5 >/dev/null || fail "d/results.h5 cannot be read"
            [ $left = 0 ] || [ "$(attribute d/results.h5 status)" = interrupted ] ||
                fail "signal $n: status '$(attribute d/results.h5 status)'"
        fi
        if [ $left -gt 0 ] && grep -q 'points are done' out; then
            grep -q "$left were not run" out || fail "signal $n: not $left: $(cat out)"
        fi
        ;;
    *) fail "signal $n: $signal$how gave status $got" ;;
    esac
    if [ "$(wc -l <now)" = "$points" ] || [ "$n" = "$count" ]; then
        "$warploom" sweep "$script" "$@" -j2 -q -o d >out 2>&1
        finished >now
        [ -z "$(comm -23 seen now)" ] || fail "after $n: a finished point was repeated"
        cmp whole/results.h5 d/results.h5 || fail "after $n: other results"
        no_litter d
        rm -rf d
        : >seen
        rounds=$((rounds + 1))
    fi
done
[ $hit -ge $((count / 2)) ] || fail "only $hit of $count signals hit a sweep"
echo "sweeps: $hit of $count signals hit; $rounds sweeps of $points points" \
    "completed with the same bytes"
