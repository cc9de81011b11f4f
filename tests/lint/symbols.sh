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
objects=$(mktemp -d)
symbols=$objects/symbols
trap 'rm -rf "$objects"' EXIT
status=0
# mpi_module.c needs an MPI's own compiler; shim.c is a library of its own, with
# functions of the C library.
find engine components policies stats lua workloads cuda \
    -name '*.c' -not -path '*/suite/*' -not -path lua/mpi_module.c \
    -not -path cuda/shim.c | sort >"$objects/sources"
sed 's,/[^/]*$,,' "$objects/sources" | sort -u | (cd "$objects" && xargs mkdir -p)
xargs -P 2 -I '{}' "$cc" -std=gnu17 -I. "$@" -c -o "$objects/{}.o" '{}' \
    <"$objects/sources"
sed 's/$/.o/' "$objects/sources" | (cd "$objects" && xargs nm -A -P -g) |
    sed 's/\.c\.o: /.c /' >"$symbols"
grep -v '^lua/\|^cuda/' "$objects/sources" | sed 's/$/.o/' |
    (cd "$objects" && xargs objdump -t) | awk '
        / file format / { source = $1; sub(/\.o:$/, "", source) }
        / O / && $4 ~ /^(\.data|\.bss|\*COM\*|\.tdata|\.tbss)/ &&
        $4 !~ /^\.data\.rel\.ro/ && source " " $NF != "stats/h5_guard.c reading" {
            print source ": writable data at file scope: " $NF
            found = 1
        }
        END { exit found }' || status=1
# Lines of symbols: FILE NAME KIND, and where it is.
awk '
    $3 ~ /^[Uvw]$/ || $1 ~ /^(lua|workloads|cuda)\// { next } # not defined here
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
