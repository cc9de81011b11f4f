#!/bin/sh
# Runs one script of examples/policies in an empty folder and looks at what it
# prints: a table of a head and two rows or more (a technique beside its
# baseline), whose lines are equally long because its columns are aligned, and
# which has a number in every row.
# usage: policy.sh WARPLOOM SCRIPT
set -eu
warploom=$1
script=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
"$warploom" run --quiet "$script" >table
cat table
awk '
    length($0) == width { rows++; numbers += $NF ~ /[0-9]/ }
    length($0) != width { rows = 1; numbers = 0; width = length($0) }
    rows >= 3 && numbers >= 2 && width >= 20 { good = 1 }
    END { if (!good) { print "no aligned table"; exit 1 } }
' table
