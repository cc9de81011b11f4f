#!/bin/sh
# The same run with several programs (build types, compilers, sanitizers), the
# first of them twice, must give the same state digest and the same bytes in
# every dataset of results.
#
# usage: builds.sh SCRIPT WARPLOOM WARPLOOM...
set -eu
script=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
first=""
status=0
printf '%-32s %-20s %s\n' program "state digest" "results digest"
for program in "$1" "$@"; do
    "$program" run "$script" -o "$work/r.h5" >"$work/summary"
    state=$(awk '/state digest/ { print $3 }' "$work/summary")
    results=$("$program" stats "$work/r.h5" --digest)
    printf '%-32s %-20s %.20s\n' "$program" "$state" "$results"
    if [ -z "$state" ] || [ -z "$results" ]; then
        status=1
    elif [ -z "$first" ]; then
        first="$state $results"
    elif [ "$first" != "$state $results" ]; then
        echo "differs from the first"
        status=1
    fi
    rm -f "$work/r.h5"
done
exit $status
