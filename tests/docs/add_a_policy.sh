#!/bin/sh
# Runs the script of docs/add-a-policy.md with a program that has its policy,
# and holds the page's claims against what it prints.
# usage: add_a_policy.sh WARPLOOM LUA SOURCE_DIR
set -eu
warploom=$1
lua=$2
root=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$lua" "$root/tests/docs/extract.lua" "$root/docs/add-a-policy.md" \
    examples/mru.lua >"$work/mru.lua"
sed 's/loom.mru {}/loom.lru {}/; /policy\/mru/d' "$work/mru.lua" \
    >"$work/lru.lua"
"$warploom" run "$work/mru.lua" >"$work/mru"
"$warploom" run "$work/lru.lua" >"$work/lru"
cat "$work/mru"
value() {
    awk -v key="$2" 'index($0, key) == 1 { print $NF }' "$1"
}
mru=$(value "$work/mru" "L1D misses per access")
lru=$(value "$work/lru" "L1D misses per access")
evictions=$(value "$work/mru" "evictions")
echo "misses per access: mru $mru, lru $lru; evictions $evictions"
grep -q "verified" "$work/mru"
# The policy was asked, and it decides otherwise than LRU.
awk -v e="$evictions" 'BEGIN { exit !(e > 1000) }'
awk -v a="$mru" -v b="$lru" 'BEGIN { exit !(a > 0 && b > 0 && a != b) }'
"$warploom" info mru | grep -q "promote_on_hit"
