#!/bin/sh
# Compares docs/ptx-coverage.md with what the front end and its tests say;
# writes it where LOOM_BLESS is set.
#
# usage: coverage.sh PROGRAM SOURCE TESTS
set -eu
fresh=$(mktemp)
trap 'rm -f "$fresh"' EXIT
"$1" "$2" "$3" 2>"$fresh.log" >"$fresh" || {
    grep -vE '^ *Test: .*passed' "$fresh.log"
    rm -f "$fresh.log"
    exit 1
}
rm -f "$fresh.log"
if [ -n "${LOOM_BLESS:-}" ]; then
    cat "$fresh" >"$2/docs/ptx-coverage.md"
fi
diff -u "$2/docs/ptx-coverage.md" "$fresh" || {
    echo "docs/ptx-coverage.md is out of date: LOOM_BLESS=1 writes it"
    exit 1
}
