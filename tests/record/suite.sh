#!/bin/sh
# A program of the suite, recorded once without timing and replayed on the
# three machines of the golden set, on one thread and on two: every number is
# that of the direct run.
#
# usage: suite.sh WARPLOOM FOLDER KERNEL
set -eu
warploom=$1
here=$2
kernel=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

golden() {
    "$warploom" "$@" "$here/../golden/golden.lua" --set kernel="$kernel" --quiet
}

digest() {
    "$warploom" --unsafe "$here/digest.lua" "$1"
}

golden record -o x.wlt
for machine in dev nol1 lone; do
    golden run --set machine=$machine -o direct.h5
    golden run --set machine=$machine -o replay.h5 --set recording=x.wlt
    golden run --set machine=$machine -o two.h5 --set recording=x.wlt \
        --threads 2
    direct=$(digest direct.h5)
    [ -n "$direct" ]
    for file in replay two; do
        if [ "$(digest $file.h5)" != "$direct" ]; then
            "$warploom" stats direct.h5 --csv >direct.csv
            "$warploom" stats $file.h5 --csv >$file.csv
            diff direct.csv $file.csv || true
            echo "$kernel on $machine: $file.h5 differs from the direct run"
            exit 1
        fi
    done
done
