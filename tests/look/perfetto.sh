#!/bin/sh
# Timelines in Perfetto's own trace processor (perfetto.py), the engine of its
# viewer: machines of several SMs, several kernels and runs, windows, limits;
# and what it says of files that are wrong.
# usage: perfetto.sh PROGRAM SOURCE_DIR
# WARPLOOM_TRACE_PROCESSOR is the trace processor, or trace_processor_shell is
# in PATH.  (What is called trace_processor may be the script that downloads
# one.)
set -eu
program=$1 root=$2
processor=${WARPLOOM_TRACE_PROCESSOR:-$(command -v trace_processor_shell || :)}
if [ -z "$processor" ]; then
    echo "SKIPPED: no trace processor of Perfetto's here" \
        "(WARPLOOM_TRACE_PROCESSOR, or trace_processor_shell in PATH);" \
        "timelines are not opened in it"
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
ask() { python3 "$root/tests/look/perfetto.py" "$processor" "$@"; }
asked() { ask "$@" || fail "$*: not as it should be"; }

"$processor" --version
for case in tiny/atax/1e9 gtx480/bfs/7e8 h100/bfs/1.98e9; do
    preset=${case%%/*} hertz=${case##*/} bench=${case#*/}
    bench=${bench%/*}
    run --set "preset=$preset" --set "bench=$bench" -o on.h5 --timeline t.json
    "$program" stats --csv on.h5 >on.csv
    echo "hertz,1,$hertz,,,,," >>on.csv
    echo "$preset, $bench:"
    asked t.json on.csv
    if [ "$preset" = tiny ]; then
        mv t.json whole.json
        mv on.csv whole.csv
    fi
done

for window in 1us..1500ns,sms=0 5000..5010 "kernel=*_columns" launch=1 \
    limit=100KiB; do
    run -o x.h5 --timeline w.json --window $window
    echo "atax, $window:"
    asked w.json
done
run --set times=2 --timeline many.json
asked many-2.json whole.csv
run --set own=own.json
asked own.json

# It says what is wrong.
wrong() { # TEXT FILE [COUNTERS]
    text=$1
    shift
    ask "$@" >found.txt && fail "$1: nothing is found"
    grep -q -e "$text" found.txt ||
        fail "$1: it finds something else: $(head -n 3 found.txt)"
}
sed '/"name":"NoC out"/{s/"dur":0\.0*/&9/;:a;n;ba}' whole.json >long.json
wrong "import: slice" long.json
sed 's/"cycles":1\([0-9]\)/"cycles":2\1/' whole.json >cycles.json
wrong load_latency_sum cycles.json whole.csv
exit $failed
