#!/bin/sh
# What results and recordings say of streams: times that overlap, in the order
# of ends; and a replay that is the run, on one thread and on two.
#
# usage: files.sh WARPLOOM FOLDER
set -eu
export WARPLOOM_PACE=fixed
warploom=$1
here=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

run() {
    "$warploom" run --unsafe "$here/streams.lua" --quiet "$@" >/dev/null
}

digest() {
    "$warploom" --unsafe "$here/../record/digest.lua" "$1"
}

column() {
    h5dump -d "/kernel/$1" -y -w 0 streams.h5 |
        sed -n '/DATA {/,/}/{s/[^0-9 -]//g;s/^ *//;s/ *$//;/[0-9]/p}' | head -1
}

run --set case=tables
"$warploom" stats streams.h5 --check >/dev/null
[ "$(column id)" = "1 0" ]
[ "$(column stream)" = "2 1" ]
[ "$(column sample_begin)" = "-1 -1" ]
[ "$(column sample_end)" = "0 1" ]
[ "$(column interleave)" = "0 0" ]
column start_tick >start
column end_tick >end
read -r start1 start0 <start
read -r end1 end0 <end
[ "$start0" -lt "$start1" ]
[ "$start1" -lt "$end0" ]
[ "$end1" -lt "$end0" ]

# A timed run and one without timing give the same recording.
run --set case=recorded -o direct.h5 --record timed.wlt
"$warploom" record --unsafe "$here/streams.lua" --set case=recorded --quiet \
    -o fast.wlt >/dev/null
for file in timed fast; do
    "$warploom" disasm $file.wlt | grep -v ' bytes (' >$file.txt
    for launch in 0 2 4; do
        "$warploom" disasm $file.wlt --stream 1 --launch $launch >>$file.txt
    done
done
diff timed.txt fast.txt
run --set case=recorded -o two.h5 --threads 2
run --set case=recorded -o replay.h5 --set recording="$work/fast.wlt"
run --set case=recorded -o both.h5 --set recording="$work/fast.wlt" --threads 2
direct=$(digest direct.h5)
[ -n "$direct" ]
for file in two replay both; do
    if [ "$(digest $file.h5)" != "$direct" ]; then
        "$warploom" stats direct.h5 --csv >direct.csv
        "$warploom" stats $file.h5 --csv >$file.csv
        diff direct.csv $file.csv
        echo "$file.h5 differs from the direct run"
        exit 1
    fi
done
