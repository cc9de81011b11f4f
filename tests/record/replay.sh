#!/bin/sh
# A replayed run gives the numbers of the direct one, on each of two machines,
# from one recording; and recording changes nothing.
#
# usage: replay.sh WARPLOOM FOLDER KERNEL
set -eu
warploom=$1
here=$2
kernel=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

run() {
    "$warploom" run "$here/replay.lua" --set kernel="$kernel" --quiet "$@"
}

digest() {
    "$warploom" --unsafe "$here/digest.lua" "$1"
}

# Once without timing, once beside a timed run: the same file.
"$warploom" record "$here/replay.lua" --set kernel="$kernel" --quiet -o a.wlt
run --set machine=tiny -o timed.h5 --record b.wlt
# The key names options, so it differs; nothing else may.
"$warploom" disasm a.wlt | grep -v '^  key = \| bytes (' >a.txt
"$warploom" disasm b.wlt | grep -v '^  key = \| bytes (' >b.txt
diff a.txt b.txt
[ ! -e a.wlt.partial ]

for machine in gtx480 tiny; do
    run --set machine=$machine -o direct.h5
    run --set machine=$machine -o replay.h5 --set recording=a.wlt
    direct=$(digest direct.h5)
    replay=$(digest replay.h5)
    [ -n "$direct" ]
    if [ "$direct" != "$replay" ]; then
        "$warploom" stats direct.h5 --csv >direct.csv
        "$warploom" stats replay.h5 --csv >replay.csv
        diff direct.csv replay.csv || true
        echo "$kernel on $machine: replay differs from the direct run"
        exit 1
    fi
    [ $machine != tiny ] || [ "$(digest timed.h5)" = "$direct" ]
done
# Two machines are not one.
run --set machine=gtx480 -o other.h5
[ "$(digest other.h5)" != "$direct" ]
