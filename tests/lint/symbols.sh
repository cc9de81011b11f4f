#!/bin/sh
# Reads object files, where macros and casts can hide nothing:
#  - engine, components, policies, stats and workloads have no writable data
#    at file scope (constants that need relocation are in .data.rel.ro), but
#    for what a handler of signals must find (stats/h5_guard.c);
#  - a component or policy exports only names that start with its own; the
#    engine, stats and policies/lib only names that start with loom_;
#  - the files of a folder call each other in one direction (circles.lua).
# It compiles the sources itself, because sanitizers, coverage and link-time
# optimisation add symbols of their own.
# usage: symbols.sh SOURCE_DIR LUA CC [FLAG...]
set -eu
circles=$(cd "$(dirname "$0")" && pwd)/circles.lua
cd "$1"
lua=$2
cc=$3
shift 3
object=$(mktemp)
symbols=$(mktemp)
trap 'rm -f "$object" "$symbols"' EXIT
status=0
# mpi_module.c needs an MPI's own compiler; shim.c is a library of its own, with
# functions of the C library.
for source in $(find engine components policies stats lua workloads cuda \
    -name '*.c' -not -path '*/suite/*' -not -path lua/mpi_module.c \
    -not -path cuda/shim.c | sort); do
    "$cc" -std=gnu17 -I. "$@" -c -o "$object" "$source"
    nm -P -g "$object" | sed "s,^,$source ," >>"$symbols"
    case $source in
    lua/* | cuda/*) continue ;;
    esac
    data=$(objdump -t "$object" | awk '
        / O / && $4 ~ /^(\.data|\.bss|\*COM\*|\.tdata|\.tbss)/ &&
        $4 !~ /^\.data\.rel\.ro/ { print $NF }')
    if [ -n "$data" ] && [ "$source $data" != "stats/h5_guard.c reading" ]; then
        echo "$source: writable data at file scope:" $data
        status=1
    fi
done
# Lines of symbols: FILE NAME KIND, and where it is.
awk '
    $3 == "U" || $1 ~ /^(lua|workloads|cuda)\// { next }
    { split($1, path, "/") }
    { own = $1 ~ /^(engine|stats|policies\/lib)\// ? "loom" : path[2] }
    $1 ~ /^(components|policies)\/[^\/]+$/ { next } # contracts
    index($2, own "_") != 1 {
        print $1 ": exports a name that does not start with " own "_: " $2
        stray = 1
    }
    END { exit stray }' "$symbols" || status=1
"$lua" "$circles" <"$symbols" || status=1
exit $status
