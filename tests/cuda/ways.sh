#!/bin/sh
# Every CUDA host, built by nvcc as its users do: without any option, with the
# runtime shared, with relocatable device code.  Each passes its own checks in
# all ways; in the first two with the same statistics, each number, from the
# same objects, but for those that same.sh holds, with the runtime shared,
# against a Lua host's statistics: of these one is enough.  The third way has
# other PTX, so it is run without time: what is linked and launched is the same.
#
# usage: ways.sh WARPLOOM SOURCE_DIR NVCC [all|NAME...]
# Without names those that same.sh does not hold, and the one, and Thrust, which
# nvcc takes fifteen seconds for, without the third way; with "all" every host in
# every way (the target cuda_nightly).
#
# Ends with 77 (skipped), and says so, where there is no nvcc.
set -eu
warploom=$1
source=$2
nvcc=$3
shift 3
hosts=$source/tests/cuda/hosts
if ! command -v "$nvcc" >/dev/null; then
    echo "SKIPPED: no nvcc, so nobody has run a program that it builds"
    exit 77
fi
every=$*
if [ $# -eq 0 ] || [ "$*" = all ]; then
    set --
    for file in "$hosts"/*.cu; do
        name=$(basename "$file" .cu)
        case $name in
        blas) continue ;; # nvcc.sh links it with its library, where there is one
        bfs) ;;
        *) [ -n "$every" ] || [ ! -d "$source/workloads/suite/$name" ] || continue ;;
        esac
        set -- "$@" "$name"
    done
fi
[ $# -gt 0 ] || exit 1
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
cd "$out"
echo 'return require "warploom".preset.gtx480 {}' >machine.lua

fail() {
    echo "$1: $2" >&2
    cat text >&2
    exit 1
}

# compile NAME OPTION...: NAME.o, which each way links.
compile() {
    name=$1
    shift
    "$nvcc" -diag-suppress 550 -include "$source/tests/suite/nvcc.h" "$@" \
        -c -o "$name.o" "$hosts/$name.cu"
}

# run NAME WAY OPTIONS LINK_OPTION...: with OPTIONS of warploom cuda, WAY.h5.
run() {
    name=$1
    way=$2
    options=$3
    shift 3
    "$nvcc" "$@" -o "$name" "$name.o"
    # shellcheck disable=SC2086
    "$warploom" cuda machine.lua --quiet $options -o "$way.h5" -- "./$name" \
        >text 2>&1 || fail "$name" "$way fails"
    grep -q PASSED text || fail "$name" "$way: no PASSED"
    if grep -q FAILED text; then
        fail "$name" "$way: FAILED"
    fi
}
digest() { "$warploom" stats --digest "$1.h5"; }

for name in "$@"; do
    compile "$name"
    timed=yes
    case $name in
    bfs) ;;
    *) [ ! -d "$source/workloads/suite/$name" ] || timed="" ;;
    esac
    if [ -n "$timed" ]; then
        run "$name" plain ""
        run "$name" shared "" -cudart shared
        [ "$(digest plain)" = "$(digest shared)" ] ||
            fail "$name" "other statistics"
    else
        run "$name" plain --functional
    fi
    case $name in
    features)
        grep -q '^kernel: 1000 elements 0.50$' text || fail features "no printf"
        grep -q 'events: ordered' text || fail features "no time between events"
        ;;
    thrust)
        [ -n "$every" ] || {
            echo "thrust: without options, with -cudart shared"
            continue
        } ;;
    esac
    compile "$name" -rdc=true
    case $name in
    clocks) options="" ;; # it reads them
    *) options=--functional ;;
    esac
    run "$name" linked "$options" -rdc=true
    echo "$name: without options, ${timed:+with -cudart shared, }with -rdc=true"
done
echo "$# programs"
