#!/bin/sh
# Timelines: the run's bits are the same with and without; what is written is
# read back (timeline.py) and compared with the run's counters, on machines of
# several SMs, with caches of lines and of sectors; windows, limits, several
# runs; what cannot be written is an error.
# usage: timeline.sh PROGRAM SOURCE_DIR
set -eu
program=$1 root=$2
if ! python3 -c "import json, csv" 2>/dev/null; then
    echo "SKIPPED: no Python here; timelines are not read back"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
failed=0
fail() {
    echo "$1"
    failed=1
}
run() { "$program" run -q "$root/tests/look/timeline_run.lua" "$@"; }
read_back() { python3 "$root/tests/look/timeline.py" "$@" || failed=1; }

for case in tiny/atax/1e9 gtx480/histogram64/7e8 qv100/gemm/1.132e9; do
    preset=${case%%/*} hertz=${case##*/} bench=${case#*/}
    bench=${bench%/*}
    run --set "preset=$preset" --set "bench=$bench" -o off.h5
    run --set "preset=$preset" --set "bench=$bench" -o on.h5 --timeline t.json
    "$program" diff -q off.h5 on.h5 || fail "$case: other numbers"
    [ "$("$program" stats --digest off.h5)" = \
        "$("$program" stats --digest on.h5)" ] || fail "$case: another digest"
    "$program" stats --csv on.h5 >on.csv
    echo "hertz,1,$hertz,,,,," >>on.csv
    read_back t.json on.csv
    [ "$preset" != tiny ] || mv t.json whole.json
done

# The check finds what is wrong: a part that is too long; latencies.
sed '/"name":"NoC out"/{s/"dur":0\.0*/&9/;:a;n;ba}' whole.json >wrong.json
python3 "$root/tests/look/timeline.py" wrong.json >found.txt &&
    fail "a part that is too long is not found"
grep -q 'NoC out' found.txt || fail "it finds something else"
run -o on.h5
"$program" stats --csv on.h5 >on.csv
sed 's/"cycles":1\([0-9]\)/"cycles":2\1/' whole.json >wrong.json
python3 "$root/tests/look/timeline.py" wrong.json on.csv >found.txt &&
    fail "latencies that are wrong are not found"
grep -q load_latency_sum found.txt || fail "latencies are not compared"

# Windows, a choice of SMs, of kernels.
run -o x.h5 --timeline w.json --window 1us..1500ns,sms=0
read_back w.json from=1000 to=1500 sm=0
run -o x.h5 --timeline w.json --window 1000..1500,sms=0 # cycles of 1 GHz
read_back w.json from=1000 to=1500 sm=0
run -o x.h5 --timeline w.json --window "kernel=*_columns"
read_back w.json
grep -q atax_columns w.json || fail "the kernel is missing"
! grep -q atax_rows w.json || fail "another kernel is there"
run -o x.h5 --timeline l.json --window launch=1
cmp -s w.json l.json || fail "a launch is not its kernel"
run -o x.h5 --timeline w.json --window limit=100KiB
read_back w.json
grep -q '"complete":false' w.json || fail "it does not say that it is cut"
[ "$(wc -c <w.json)" -lt 110000 ] || fail "the limit is exceeded"

# Several runs; one that the script asks for; threads.
run --set times=2 --timeline many.json
cmp many.json whole.json || fail "the first of two runs is another"
cmp many-2.json whole.json || fail "the second of two runs is another"
run --set own=own.json
read_back own.json to=2000 sm=1
run --threads 2 --timeline two.json 2>two.txt
cmp two.json whole.json || fail "with two threads it is another"
grep -q "one thread" two.txt || fail "nobody says that there is one thread"

# Mistakes, and files that cannot be written.
refused() { # STATUS TEXT WORD...
    status=$1 text=$2
    shift 2
    code=0
    run "$@" >out.txt 2>&1 || code=$?
    if [ $code != "$status" ] || ! grep -q -e "$text" out.txt; then
        fail "$*: status $code, $(cat out.txt)"
    fi
}
refused 5 "No space left on device" --timeline /dev/full
refused 5 "No such file or directory" --timeline none/t.json
refused 2 "expected FROM..TO" --timeline t.json --window 10us
refused 2 "numbers of SMs" --timeline t.json --window sms=one
refused 2 "functional has none" --timeline t.json --functional
refused 1 "nothing is written that has one" --window 1us..2us
refused 5 "cannot be used" --set own=/proc/t.json

# The page of ours takes it, also one that was cut off, and nothing else.
"$program" look -q whole.json -o whole.html
head -n 1000 whole.json >cut.json
"$program" look -q cut.json -o cut.html
for page in whole cut; do
    sed -n '/<script type="application\/json"/,/^<\/script>/p' $page.html |
        sed '1s/^[^{]*//;1s/^<.*>//;$d' >page.json
    python3 -c 'import json; json.load(open("page.json"))' ||
        fail "$page.html has no JSON"
done
"$program" look x.h5 2>/dev/null && fail "a results file is no timeline"
"$program" look none.json 2>/dev/null && fail "there is no such timeline"
exit $failed
