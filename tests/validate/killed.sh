#!/bin/sh
# Kills a run with SIGKILL at ten moments, the results file being replaced
# all the time.  What is left of it must be whole every time.
#
# usage: killed.sh WARPLOOM FOLDER
set -eu
warploom=$1
here=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

for try in $(seq 1 10); do
    "$warploom" run "$here/killed.lua" --quiet -o x.h5 >out 2>&1 &
    pid=$!
    waited=0
    while [ ! -e x.h5.partial ] && [ $waited -lt 6000 ]; do
        sleep 0.05
        waited=$((waited + 1))
    done
    # Up to 0.2 s later, at moments that have nothing to do with the run's.
    sleep "$(awk "BEGIN { print ($try * 37 % 20) / 100 }")"
    kill -KILL $pid
    wait $pid 2>>out || true
    if [ -e x.h5 ]; then
        echo "the run ended before it was killed"
        cat out
        exit 1
    fi
    "$warploom" stats x.h5.partial --check >checked
    rm x.h5.partial
done
# The next run does not mind what is left, and leaves one file.
"$warploom" run "$here/killed.lua" --quiet -o x.h5 --set rounds=3 >out 2>&1
"$warploom" stats x.h5 --check >checked
[ "$(echo x.h5*)" = x.h5 ]
