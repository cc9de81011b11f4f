#!/bin/sh
# A run that is timed as scheduled computes what the text computes, in another
# time; and a recording of it replays to the same statistics, on whatever
# machine: the schedule is in the streams.
#
# usage: scheduled.sh WARPLOOM FOLDER KERNEL
set -eu
warploom=$1
here=$2
kernel=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

run() {
    "$warploom" run --unsafe "$here/scheduled.lua" --quiet \
        --set kernel="$kernel" "$@"
}

fail() {
    echo "$kernel: $1"
    exit 1
}

digest() {
    "$warploom" --unsafe "$here/digest.lua" "$1"
}

run -o on.h5 >on.txt
run --set scheduled=false -o off.h5 >off.txt
run --functional >functional.txt
run --functional --set scheduled=false >plain.txt
grep -q '^memory [0-9a-f]' on.txt || fail "no digest of memory"
for other in off functional plain; do
    [ "$(grep ^memory on.txt)" = "$(grep ^memory $other.txt)" ] ||
        fail "memory differs: scheduled, $other"
done
[ "$(digest on.h5)" != "$(digest off.h5)" ] || fail "nothing was scheduled"

# Keys name the option, too.
for way in true false; do
    "$warploom" record --unsafe "$here/scheduled.lua" --quiet \
        --set kernel="$kernel" --set scheduled=$way -o $way.wlt >/dev/null
done
run --set recording=true.wlt -o replay.h5
[ "$(digest on.h5)" = "$(digest replay.h5)" ] || fail "replay differs"
# A machine with the other value of the option is told of it in its results.
same() {
    "$warploom" stats "$1" --csv >one.csv
    "$warploom" stats replay.h5 --csv >other.csv
    diff one.csv other.csv || fail "a replay is scheduled once more, or less"
}
run --set recording=true.wlt --set scheduled=false -o replay.h5
same on.h5
run --set recording=false.wlt -o replay.h5
same off.h5
for way in true false; do
    "$warploom" disasm $way.wlt | sed -n 's/^  key = //p' >$way.key
    [ -s $way.key ] || fail "no key in a recording"
done
cmp -s true.key false.key && fail "the keys of both streams are the same"

"$warploom" disasm --scheduled on.h5 2>why.txt && fail "a listing of no PTX"
"$warploom" disasm --scheduled true.wlt 2>why.txt &&
    fail "a listing of a recording as scheduled"
grep -q -- "--scheduled needs a .ptx file" why.txt || fail "$(cat why.txt)"
