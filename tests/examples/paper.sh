#!/bin/sh
# Some points of an experiment of a paper, at size tiny, in an empty folder:
# none fails, and started again nothing is done twice.
# usage: paper.sh WARPLOOM SCRIPT AXIS=VALUE,..
set -eu
warploom=$1
script=$2
only=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
run() {
    "$warploom" sweep "$script" --set size=tiny --only "$only" -j 1 -o out
}
run 2>err | tee first || { cat err; exit 1; }
grep -Eq '^([0-9]+) points, \1 run, 0 done before, 0 failed' first
run 2>err >second
grep -Eq '^([0-9]+) points, 0 run, \1 done before, 0 failed' second
