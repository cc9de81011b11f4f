#!/bin/sh
# Our cuRAND against NVIDIA's, whose generators for the host need no GPU: the
# same program with both, and what it prints.
#
# usage: same.sh WARPLOOM SOURCE_DIR [TOOLKIT]
#
# Ends with 77 (skipped), and says so, where there is no libcurand of NVIDIA's.
set -eu
warploom=$1
source=$2
toolkit=${3:-/usr/local/cuda}
if [ ! -e "$toolkit/lib64/libcurand.so" ] ||
    [ ! -e "$toolkit/include/curand.h" ]; then
    echo "SKIPPED: no cuRAND in $toolkit, so nobody has compared ours with it"
    exit 77
fi
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
cc -x c -I"$toolkit/include" -o "$out/same" \
    "$source/tests/cuda/rand/same.cu" -x none \
    -L"$toolkit/lib64" -lcurand -lcudart
LD_LIBRARY_PATH=$toolkit/lib64 "$out/same" >"$out/theirs"
"$warploom" cuda "$source/tests/cuda/blas/gtx480.lua" --functional --quiet \
    -- "$out/same" >"$out/ours"
[ "$(wc -l <"$out/theirs")" -gt 2000000 ] || {
    echo "too few numbers"
    exit 1
}
# Every function of NVIDIA's is here: provided, or refused by name.
names() {
    nm -D --defined-only "$1" | sed -n 's/.* T \(curand[A-Za-z0-9]*\).*/\1/p' |
        sort -u
}
names "$toolkit/lib64/libcurand.so" >"$out/known"
names "$(dirname "$warploom")/cuda/libwarploom_rand.so" >"$out/provided"
absent=$(comm -23 "$out/known" "$out/provided")
[ -z "$absent" ] || {
    echo "not in our library: $absent"
    exit 1
}
# A digit of the last place may differ where a number lies between two: of
# normal numbers one in a thousand.
diff "$out/theirs" "$out/ours" >"$out/diff" || true
different=$(grep -c '^>' "$out/diff" || true)
other=$(grep '^[<>]' "$out/diff" | grep -vc normal || true)
echo "$different of $(grep -c normal "$out/theirs") normal numbers differ in" \
    "the fourth decimal, $other of the others"
[ "$different" -lt 240 ] && [ "$other" -eq 0 ]
