#!/bin/sh
# Reads object files, where macros and casts can hide nothing:
#  - engine, components, policies, stats and workloads have no writable data
#    at file scope (constants that need relocation are in .data.rel.ro), but
#    for what a handler of signals must find (stats/h5_guard.c);
#  - a component or policy exports only names that start with its own, the
#    engine and stats only names that start with loom_.
# It compiles the sources itself, because sanitizers, coverage and link-time
# optimisation add symbols of their own.
# usage: symbols.sh SOURCE_DIR CC [FLAG...]
set -eu
cd "$1"
cc=$2
shift 2
object=$(mktemp)
trap 'rm -f "$object"' EXIT
status=0
for source in $(find engine components policies stats workloads \
    -name '*.c' -not -path '*/suite/*' | sort); do
    "$cc" -std=gnu17 -I. "$@" -c -o "$object" "$source"
    data=$(objdump -t "$object" | awk '
        / O / && $4 ~ /^(\.data|\.bss|\*COM\*|\.tdata|\.tbss)/ &&
        $4 !~ /^\.data\.rel\.ro/ { print $NF }')
    if [ -n "$data" ] && [ "$source $data" != "stats/h5_guard.c reading" ]; then
        echo "$source: writable data at file scope:" $data
        status=1
    fi
    name=$(echo "$source" |
        sed -nE 's,^(components|policies)/([^/]+)/.*,\2,p; s,^(engine|stats)/.*,loom,p')
    [ -n "$name" ] || continue
    stray=$(nm --defined-only --extern-only "$object" |
        awk -v p="$name" '$3 !~ "^" p "_" { print $3 }')
    if [ -n "$stray" ]; then
        echo "$source: exports names that do not start with ${name}_:" $stray
        status=1
    fi
done
exit $status
