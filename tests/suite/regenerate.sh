#!/bin/sh
# Compiles the suite again with the compiler that made what is checked in,
# and compares: the PTX beside a source is that source's.
#
# usage: regenerate.sh SUITE
#
# Ends with 77 (skipped), and says so, where there is no clang-14.
set -eu
suite=$1
if ! command -v clang-14 >/dev/null; then
    echo "SKIPPED: clang-14 is not installed, so nobody has compared the" \
        "suite's PTX with its sources"
    exit 77
fi
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
CLANG=clang-14 sh "$suite/build.sh" -o "$out"
count=0
for fresh in "$out"/*.ptx; do
    name=$(basename "$fresh" .ptx)
    diff -u "$suite/$name/$name.ptx" "$fresh"
    count=$((count + 1))
done
sources=$(ls "$suite"/*/*.cu | wc -l)
if [ "$count" -ne "$sources" ]; then
    echo "$count files were made from $sources sources"
    exit 1
fi
echo "$count files are what clang-14 makes of their sources"
