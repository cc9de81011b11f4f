#!/bin/sh
# Runs that get a signal at some moment: the status is the signal's, the results
# are whole and say that they are of a part of the run.
#
# usage: runs.sh WARPLOOM SEND FOLDER COUNT
set -eu
warploom=$1
send=$2
here=$3
count=$4
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
. "$here/common.sh"
cd "$dir"

start=$(now_ms)
"$send" 0 0 "$warploom" run -q "$here/run.lua" -o whole.h5 >out 2>&1
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
    at=$(moment "$n" $span)
    how=
    [ $((n % 4)) = 0 ] && how=u
    [ $((n % 5)) = 0 ] && how=${how}t
    got=0
    "$send" "$signal$how" "$at" "$warploom" run -q "$here/run.lua" -o x.h5 \
        >out 2>&1 || got=$?
    no_litter .
    case $got in
    0)
        [ "$("$warploom" stats --digest x.h5)" = "$digest" ] ||
            fail "moment $n: complete, but other results"
        complete=$((complete + 1))
        ;;
    $((128 + signal)))
        if [ ! -e x.h5 ]; then
            absent=$((absent + 1)) # it had not begun
        else
            whole x.h5
            case $(attribute x.h5 status) in
            interrupted) interrupted=$((interrupted + 1)) ;;
            complete) # while the script computed on
                [ "$("$warploom" stats --digest x.h5)" = "$digest" ] ||
                    fail "moment $n: complete, but other results"
                complete=$((complete + 1))
                ;;
            *) fail "moment $n: status '$(attribute x.h5 status)'" ;;
            esac
        fi
        ;;
    138) # SIGUSR1 came before main(), on a busy host
        [ ! -e x.h5 ] && [ "$how" != t ] ||
            fail "moment $n: SIGUSR1 ended a run"
        absent=$((absent + 1))
        ;;
    *) fail "moment $n: signal $signal$how after $at ms gave status $got" ;;
    esac
done
[ $interrupted -ge $((count / 4)) ] ||
    fail "only $interrupted of $n signals hit the run"
echo "runs: $n signals: $interrupted interrupted, $complete complete," \
    "$absent before there was anything"
