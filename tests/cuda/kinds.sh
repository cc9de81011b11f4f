#!/bin/sh
# Every kind of CUDA program, built by nvcc in three ways: without any option,
# with the runtime shared, with relocatable device code.  Each checks what it
# computes.  Prints a table; the programs are ours, those of kinds.txt.
#
# usage: kinds.sh [NAME]...
#
# NAME: part of a kind's name; all without.  Of the surroundings:
#
#   WARPLOOM   the program, else build/release/warploom, else that of $PATH
#   NVCC       else that of $PATH or /usr/local/cuda/bin
#   MACHINE    a script, else the preset h100
#   OPTIONS    of warploom cuda: --functional; "" for runs with timing
#   SECONDS_EACH   that a run may take: 300
#   KEEP       a folder for what is built and printed, else none is kept
#
# Ends with 1 if a program is not built, does not run to its end or is not
# right; with 77 if there is no nvcc.
set -u
here=$(cd "$(dirname "$0")" && pwd)
warploom=${WARPLOOM:-$here/../../build/release/warploom}
[ -x "$warploom" ] || warploom=$(command -v warploom) || {
    echo "no warploom: build it, or name it in \$WARPLOOM"
    exit 2
}
warploom=$(cd "$(dirname "$warploom")" && pwd)/$(basename "$warploom")
nvcc=${NVCC:-}
case $nvcc in # as CMake says that there is none
"" | *-NOTFOUND) nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc) ;;
esac
command -v "$nvcc" >/dev/null || {
    echo "SKIPPED: no nvcc ($nvcc), so nobody has run a program that it builds"
    exit 77
}
limit=${SECONDS_EACH:-300}
options=${OPTIONS---functional}
work=${KEEP:-$(mktemp -d)}
mkdir -p "$work"
work=$(cd "$work" && pwd)
[ -n "${KEEP:-}" ] || trap 'rm -rf "$work"' EXIT
machine=$work/machine.lua
if [ -n "${MACHINE:-}" ]; then
    machine=$(cd "$(dirname "$MACHINE")" && pwd)/$(basename "$MACHINE")
else
    echo 'return require "warploom".preset.h100 {}' >"$machine"
fi
stubs=$(dirname "$(command -v "$nvcc")")/../lib64/stubs
libraries=$(dirname "$(command -v "$nvcc")")/../lib64
cd "$here" || exit 2

row() {
    printf '%-19s %-9s %-8s %-9s %7s  %s\n' "$@"
}

words() { # without the spaces around
    echo "$1" | sed 's/^ *//; s/ *$//'
}

wanted() { # KIND NAME...
    [ $# -gt 1 ] || return 0
    kind_of_row=$1
    shift
    for name in "$@"; do
        case $kind_of_row in
        *"$name"*) return 0 ;;
        esac
    done
    return 1
}

# build WAY SOURCE FLAGS: $out/program.  The first two are of one object.
build() {
    # shellcheck disable=SC2086 # words
    set -- "$1" "$2" -diag-suppress 550,1444 -w -I"$here/../.." \
        -L"$stubs" -L"$libraries" $3
    way=$1 from=$2
    shift 2
    case $way in
    plain | shared) [ -e "$out/program.o" ] ||
        "$nvcc" "$@" -c -o "$out/program.o" "$from" || return 1 ;;
    esac
    case $way in
    plain) "$nvcc" "$@" -o "$out/program" "$out/program.o" ;;
    shared) "$nvcc" "$@" -cudart shared -o "$out/program" "$out/program.o" ;;
    rdc) "$nvcc" "$@" -rdc=true -o "$out/program" "$from" ;;
    esac
}

# one KIND WAY SOURCE FLAGS ARGUMENTS CHECK OPTIONS: a row.
one() {
    kind=$1 way=$2 text=$6
    before=$(date +%s)
    took() { echo "$(($(date +%s) - before)) s"; }
    only_rdc=no
    case $text in
    "rdc "*) text=${text#rdc } only_rdc=yes ;;
    esac
    rm -f "$out/program"
    if ! build "$way" "$3" "$4" >"$out/build" 2>&1; then
        if [ $only_rdc = yes ] && [ "$way" != rdc ] &&
            grep -q 'requires separate compilation mode' "$out/build"; then
            row "$kind" "$way" - - "$(took)" "nvcc builds it with -rdc=true only"
            return 2
        fi
        row "$kind" "$way" no - "$(took)" "$(grep -m1 -i error "$out/build")"
        return 1
    fi
    # shellcheck disable=SC2016 # for eval
    ptx=$out/program.ptx
    case $5 in
    *'$ptx'*) # shellcheck disable=SC2086
        "$nvcc" -w -ptx -I"$here/../.." -o "$ptx" "$3" >"$out/build" 2>&1 ;;
    esac
    status=0
    eval "timeout \"\$limit\" \"\$warploom\" cuda \"\$machine\" $options $7 \
        --quiet -o \"\$out/results.h5\" -- \"\$out/program\" $5" \
        >"$out/text.$way" 2>&1 </dev/null || status=$?
    if [ "$status" -eq 124 ]; then
        row "$kind" "$way" no - "$(took)" "more than $limit s"
    elif [ "$status" -ne 0 ]; then
        row "$kind" "$way" "$status" - "$(took)" "$(grep -a -i -m1 \
            'warploom: \|error\|FAILED\|differ' "$out/text.$way" | cut -c1-150)"
    elif ! grep -a -q -- "$text" "$out/text.$way" ||
        ! grep -a -q PASSED "$out/text.$way"; then
        row "$kind" "$way" yes NO "$(took)" "it did not print '$text'"
    else
        row "$kind" "$way" yes yes "$(took)" ""
        return 0
    fi
    return 1
}

row kind build ran checked time ""
grep '^[^# ].*|' "$here/kinds.txt" >"$work/rows"
runs=0 right=0 kinds=0
while IFS='|' read -r a b c d e f; do
    a=$(words "$a")
    wanted "$a" "$@" || continue
    kinds=$((kinds + 1))
    out=$work/$(basename "$(words "$b")" .cu)
    mkdir -p "$out"
    rm -f "$out/program.o"
    for way in plain shared rdc; do
        result=0
        one "$a" $way "$(words "$b")" "$(words "$c")" "$(words "$d")" \
            "$(words "$e")" "$(words "$f")" || result=$?
        [ "$result" -eq 2 ] || runs=$((runs + 1))
        [ "$result" -ne 0 ] || right=$((right + 1))
    done
done <"$work/rows"
[ "$runs" -gt 0 ] || {
    echo "no kind of that name"
    exit 2
}
echo "$kinds kinds: $right of $runs programs are right"
[ "$right" -eq "$runs" ]
