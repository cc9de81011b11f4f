#!/bin/sh
# Programs that are not the repository's: one of its own, under another name in
# a folder of its own, with measurements of its own.
#
# usage: elsewhere.sh WARPLOOM SOURCE_DIR
set -eu
warploom=$(realpath "$1")
root=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export WARPLOOM_PATH="$root/tests/validate"
cd "$work"

mkdir set set/other flat
cp "$root/tests/validate/reference/reduce_tree.json" set/other/launches.json
cp "$root/tests/data/ptx/reduce_tree.ptx" set/other/other.ptx
cp set/other/launches.json flat/other.json
cp set/other/other.ptx flat/other.ptx
{
    head -n 1 "$root/tests/validate/reference/gpgpusim.csv"
    grep '^reduce_tree,.*,\(gtx480\|qv100\),' \
        "$root/tests/validate/reference/gpgpusim.csv" | sed 's/^reduce_tree/other/'
} >set/measured.csv

fail() {
    echo "FAIL: $1" >&2
    cat log >&2
    exit 1
}

compare() {
    folder=$1
    csv=$2
    shift 2
    "$warploom" run -q "$root/tests/validate/gpgpusim.lua" --set config=all \
        --set folder="$folder" --set csv="$csv" --set out=both.csv "$@" \
        >log 2>&1
}

# Both kinds of folders; the program computes what it should.
for folder in set flat; do
    "$warploom" run -q --functional "$root/tests/validate/functional.lua" \
        --set folder=$folder --set programs=other >log 2>&1 ||
        fail "$folder: functional"
    compare $folder set/measured.csv --set variants=2 --set limit=5 \
        --set beyond=10 || fail "$folder: comparison"
    mv both.csv $folder.csv
done
cmp set.csv flat.csv || fail "the folders differ"

# Two launches, two configurations, ten numbers; and a cycle makes a difference.
[ "$(grep -c '^other,[12],' set.csv)" = 40 ] || fail "rows"
awk -F, '$5 == "cycles" { spread += $9 - $8 } END { exit !(spread > 0) }' \
    set.csv || fail "no spread"

# What differs is noticed.
sed 's/,cycles,\(.*\)/,cycles,2\1/' set/measured.csv >set/wrong.csv
if compare set set/wrong.csv --set limit=5; then fail "wrong means"; fi
if compare set set/wrong.csv --set variants=2 --set beyond=10; then
    fail "wrong cycles"
fi
sed 's/"crc32_gpgpusim": "./&f/' flat/other.json >flat/bad.json
cp flat/other.ptx flat/bad.ptx
if "$warploom" run -q --functional "$root/tests/validate/functional.lua" \
    --set folder=flat --set programs=bad >log 2>&1; then
    fail "a wrong checksum"
fi

# Mistakes have messages.
if compare set set/measured.csv --set programs=none; then fail "none"; fi
grep -q 'none: the measurements have no such program' log || fail "message"
if compare nowhere set/measured.csv; then fail "nowhere"; fi
grep -q 'nowhere/other.json cannot be opened' log || fail "message"
echo "a set of one program elsewhere: compared"
