#!/bin/sh
# What programs read of the time is the same for any number of threads, and so
# is a recording of it, of which a replay takes as long.
#
# usage: clocks.sh WARPLOOM SOURCE_DIR
set -eu
export WARPLOOM_PACE=change # threads come and go
warploom=$1
here=$2/tests/lua
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
# Most of these are of one CTA, so that a third thread has nothing to do but wait.
for threads in 1 2; do
    "$warploom" run --quiet --threads $threads "$here/clocks.lua" \
        >"text.$threads"
done
cmp text.1 text.2
for threads in 1 2 4; do
    "$warploom" run --quiet --threads $threads --record "$threads.wlt" \
        "$here/clocks_race.lua" >"race.$threads"
    cmp race.1 race.$threads
    cmp 1.wlt $threads.wlt
done
"$warploom" run --quiet "$here/clocks_race.lua" >race.plain
cmp race.1 race.plain
"$warploom" run --quiet --set replay=1.wlt "$here/clocks_race.lua" >race.replayed
tail -n 1 race.1 >want
cmp want race.replayed
cat race.1
