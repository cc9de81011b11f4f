#!/bin/sh
# CUDA programs that end in every way, and at some moments by signals: their
# results are kept.
#
# usage: programs.sh WARPLOOM SEND FOLDER PROGRAM COUNT [sanitized]
set -eu
warploom=$1
send=$2
here=$3
program=$4
count=$5
sanitized=${6:-}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
. "$here/common.sh"
cd "$dir"
TEST_PTX=$here/../cuda/kernels.ptx
export TEST_PTX

# ends STATUS OUTCOME SIGNAL MS HOW [LAUNCHES]: of the process and of the file
ends() {
    want=$1
    outcome=$2
    signal=$3
    at=$4
    shift 4
    rm -f x.h5* begun
    got=0
    "$send" "$signal" "$at" "$warploom" cuda "$here/machine.lua" -q -o x.h5 -- \
        "$program" "$@" >out 2>&1 || got=$?
    [ $got -eq "$want" ] || fail "$*: status $got, expected $want"
    [ -e x.h5 ] || fail "$*: no results"
    no_litter .
    whole x.h5
    [ "$(attribute x.h5 status)" = "$outcome" ] ||
        fail "$*: '$(attribute x.h5 status)', expected $outcome"
}

ends 0 complete 0 0 exit
grep -q 'at its end' out || fail "exit"
ends 4 complete 0 0 _exit
ends 5 complete 0 0 _Exit
ends 6 complete 0 0 quick_exit
ends 0 complete 0 0 fork
ends 143 interrupted 0 0 raise
# Of another thread, in the middle of a kernel.
rm -f x.h5
got=0
"$send" 0 0 "$warploom" cuda "$here/machine.lua" -q -o x.h5 -- \
    "$program" thread >out 2>&1 || got=$?
[ $got = 8 ] || fail "thread: status $got"
no_litter .
whole x.h5
# The program's own handlers are its own.
ends 0 complete 15w 300 noted 300
grep -q 'after a signal' out || fail "its handler was not called: $(cat out)"
ends 7 complete 15w 300 handler 100000
ends 7 complete 15w 300 handler_leaves 100000
if [ -n "$sanitized" ]; then
    echo "programs: SKIPPED with sanitizers: faults and abort, which they report"
else
    ends 134 interrupted 0 0 abort
    ends 134 interrupted 0 0 abort_noted
    ends 134 interrupted 0 0 assert
    ends 139 interrupted 0 0 fault
    ends 139 interrupted 0 0 fault_in_thread
fi
ends 143 interrupted 15w 300 again 100000

start=$(now_ms)
"$send" 0 0 "$warploom" cuda "$here/machine.lua" -q -o whole.h5 -- \
    "$program" exit 300 >out 2>&1
span=$(($(now_ms) - start))
digest=$("$warploom" stats --digest whole.h5)
interrupted=0
complete=0
absent=0
n=0
while more $((n + 1)) "$count" $interrupted; do
    n=$((n + 1))
    rm -f x.h5*
    signal=$(which "$n")
    how=
    [ $((n % 4)) = 0 ] && how=t
    at=$(moment "$n" $span)
    got=0
    "$send" "$signal$how" "$at" "$warploom" cuda "$here/machine.lua" -q \
        -o x.h5 -- "$program" exit 300 >out 2>&1 || got=$?
    no_litter .
    [ $got = 0 ] || [ $got = $((128 + signal)) ] ||
        fail "moment $n: signal $signal after $at ms gave status $got"
    if [ ! -e x.h5 ]; then
        [ $got != 0 ] || fail "moment $n: status 0 without results"
        absent=$((absent + 1))
        continue
    fi
    whole x.h5
    case $(attribute x.h5 status) in
    interrupted)
        [ $got != 0 ] || fail "moment $n: status 0, but interrupted"
        interrupted=$((interrupted + 1))
        ;;
    complete)
        [ "$("$warploom" stats --digest x.h5)" = "$digest" ] ||
            fail "moment $n: complete, but other results"
        complete=$((complete + 1))
        ;;
    *) fail "moment $n: status '$(attribute x.h5 status)'" ;;
    esac
done
[ $interrupted -ge $((count / 4)) ] ||
    fail "only $interrupted of $n signals hit the program"
echo "programs: $n signals: $interrupted interrupted, $complete complete," \
    "$absent before there was anything"
