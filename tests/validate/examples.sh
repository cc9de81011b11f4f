#!/bin/sh
# Machines that nobody shipped run the suite: every program at its smallest size,
# with its results checked and the machine's laws kept; and one, two and four
# threads give the same digests of state and results.
#
# usage: examples.sh WARPLOOM SOURCE_DIR EXAMPLE [PROGRAM...]
#
# Without programs: all of the suite, each with 1, 2 and 4 threads.  With
# programs: these, the first of them with threads.
set -eu
warploom=$1
root=$2
example=$3
shift 3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
script=$root/examples/$example.lua
all=no
if [ $# -eq 0 ]; then
    all=yes
    for file in "$root"/workloads/suite/*/*.lua; do
        set -- "$@" "$(basename "$file" .lua)"
    done
fi

"$warploom" check "$script" >"$work/check" 2>&1 || {
    cat "$work/check"
    exit 1
}
if grep -E 'warning|error' "$work/check"; then
    echo "check has something to say"
    exit 1
fi
"$warploom" graph "$script" -o "$work/graph.dot" >/dev/null
grep -q 'digraph machine' "$work/graph.dot"

# State digest of program $1 with $2 threads.
digest() {
    if ! "$warploom" run "$script" --set workload="$1" --threads "$2" \
        >"$work/out" 2>&1; then
        tail -n 20 "$work/out" >&2
        return 1
    fi
    awk '/state digest/ { print $3 }' "$work/out"
}

status=0
first=yes
for program in "$@"; do
    one=$(digest "$program" 1) || { status=1; echo "$program failed"; continue; }
    if [ $all = yes ] || [ $first = yes ]; then
        two=$(digest "$program" 2)
        four=$(digest "$program" 4)
        if [ "$one" != "$two" ] || [ "$one" != "$four" ]; then
            echo "$program: digests differ: $one $two $four"
            status=1
        fi
    fi
    [ -n "$one" ] || { status=1; echo "$program: no digest"; }
    first=no
done
echo "$example: $# programs"
exit $status
