#!/bin/sh
# How many lines of components/cache/*.c the cache's own tests run.  Fails below
# 95 percent.
#
# usage: cache_coverage.sh BUILD_DIR, of the preset `coverage`, tests built
set -eu
build=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
find "$build" -name '*.gcda' -delete
for name in cache_test cache_random_test cache_sector_test cache_join_test cache_hooks_test \
    cache_preload_test cache_leaves_test cache_queues_test cache_write_test \
    cache_laws_test gating_test \
    loscache_gate_test bypass_contract_test cache_matrix_test; do
    if ! (cd "$work" && "$build/tests/$name" >log 2>&1); then
        echo "$name fails"
        exit 1
    fi
done
cd "$work"
find "$build" -path '*components/cache/*.gcda' -exec gcov -n {} + 2>/dev/null |
    awk '
        /^File .*components\/cache\/[a-z_]*\.c.$/ {
            file = $0
            gsub(/.*\/|.$/, "", file)
        }
        /^Lines executed/ && file != "" {
            split($0, part, /[:%]| of /)
            printf "%-14s %6.2f %% of %4d lines\n", file, part[2], part[4]
            lines += part[4]
            run += part[2] * part[4] / 100
            file = ""
        }
        END {
            if (lines == 0) {
                print "nothing was counted: is it the preset coverage?"
                exit 1
            }
            printf "%-14s %6.2f %% of %4d lines\n", "all", 100 * run / lines,
                lines
            exit run < 0.95 * lines
        }'
