#!/bin/sh
# Calls of the C library and the kernel fail, one and then all from it on, in
# a run, a sweep, a merge, an export, a plot and a graph.  No command may end
# by a signal, hang, or report success with results other than those of an
# undisturbed one.
#
# usage: fault.sh WARPLOOM LIBRARY QUICK FOLDER [all|1/N|NUMBER] [JOBS] [COMMANDS]
# NUMBER of the requests for memory (400), spread over each command, for there
# are a hundred thousand; of each other kind of call a third as many, or every one
# if they are fewer.  With "all" every
# request of the smallest run there is and a tenth of those of the other
# commands on its results; with 1/N every Nth of these.  COMMANDS: of run,
# merge, csv, plot, graph and sweep ("run merge csv plot graph sweep").
set -eu
warploom=$1
library=$2
quick=$3
here=$4
most=${5:-400}
jobs=${6:-2}
commands=${7:-run merge csv plot graph sweep}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LOOM_WARPLOOM="$warploom" LOOM_FAULT_LIBRARY="$library"
export LOOM_FAULT_FOLDER="$work"

if ! LD_PRELOAD=$library LOOM_FAULT=count true; then
    echo "SKIPPED: system calls cannot be caught here"
    exit 77
fi
cp "$here/run.lua" "$here/small.lua" "$here/sweep.lua" "$work"
export LOOM_FAULT_STAT=mem_source.dram.reads
every=0
case $most in
all) every=1 ;;
1/*) every=${most#1/} ;;
esac
inputs=small.lua
if [ "$every" != 0 ]; then
    cp "$here/small.lua" "$work/run.lua"
elif [ "${LOOM_FAULT_LARGE:-0}" = 1 ]; then
    inputs=run.lua
    LOOM_FAULT_STAT=gpu.sm.l1d.misses
else # every failure of a sweep starts its points
    cp "$here/small_sweep.lua" "$work/sweep.lua"
fi
cd "$work"
"$warploom" run $inputs --quiet -o a.h5
"$warploom" run $inputs --quiet -o b.h5

orders() {
    what=$1
    share=$2
    case " $commands " in
    *" $what "*) ;;
    *) return 0 ;;
    esac
    for i in 1 2 3 4 5; do
        sh "$here/one.sh" "$what" reference
    done
    sh "$here/one.sh" "$what" command >>commands
    rm -f counts
    LOOM_FAULT_COUNTS=$work/counts sh "$here/one.sh" "$what" count
    # The first process to end is not the only one of a sweep: the most count.
    awk -v what="$what" -v most="$most" -v every="$every" -v share="$share" '
        { for (i = 3; i < NF; i += 2) {
              key = $1 "@" $i
              if ($(i + 1) > n[key]) n[key] = $(i + 1) } }
        END {
            srand(7)
            for (key in n) {
                count = n[key]
                split(key, part, "@")
                wanted = part[1] != "malloc" ? count : \
                    every != 0 ? count / every / (what == "run" ? 1 : 10) : \
                    int(most * share / 8)
                if (every == 0 && part[1] != "malloc" && wanted > most / 3) {
                    wanted = most / 3
                }
                step = wanted > 0 ? count / wanted : count + 1
                if (step < 1) step = 1
                for (at = 1; at <= count; at += step) {
                    order = part[1] ":" int(at + (step - 1) * rand())
                    print what, order "@" part[2]
                    print what, order "+@" part[2]
                }
            }
        }' counts
}

{
    orders run 1
    orders merge 0.25
    orders csv 0.15
    orders plot 0.15
    orders graph 0.1
    orders sweep 0.25
} >list
grep -v ':' list || true
if grep -v ':[0-9]' list >wrong; then
    cat wrong
    exit 1
fi
count=$(wc -l <list)
echo "$count failures to try"
xargs -P "$jobs" -n 200 "$quick" "$here/one.sh" "$work/commands" <list 2>&1 |
    tee found
[ ! -s found ] || exit 1
echo "$count failures, none of which did harm"
[ "$count" -gt 100 ]
