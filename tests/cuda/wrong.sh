#!/bin/sh
# Programs that cannot go on say why, and none crashes: every function that is
# not provided, and damaged fat binaries.
#
# usage: wrong.sh WARPLOOM SOURCE_DIR API_TEST
set -eu
warploom=$1
source=$2
program=$3
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
cd "$out"
TEST_PTX=$source/tests/cuda/kernels.ptx
LD_LIBRARY_PATH=$(dirname "$warploom")/cuda
WARPLOOM_CUDA="$out/run.lua --quiet --functional -o $out/x.h5"
export TEST_PTX LD_LIBRARY_PATH WARPLOOM_CUDA
echo 'return require "warploom".preset.tiny {}' >run.lua

# run CASE: its status in $status, what it says in `text`.
run() {
    status=0
    "$program" "$1" >text 2>&1 || status=$?
    if [ "$status" -ge 126 ]; then
        cat text
        echo "FAILED: $1 ends with status $status ($2)"
        exit 1
    fi
}

# Each function that is not provided, by name.
count=0
for name in $(sed -n 's/^MISSING(\(.*\))$/\1/p' "$source/cuda/missing.c"); do
    TEST_NAME=$name
    export TEST_NAME
    run call "$name"
    if [ "$status" -ne 1 ] || ! grep -q "calls $name, which is not" text; then
        cat text
        echo "FAILED: $name: status $status"
        exit 1
    fi
    count=$((count + 1))
done
for name in $(sed -n 's/^REFUSED(\(.*\))$/\1/p' "$source/cuda/missing.c"); do
    TEST_NAME=$name
    export TEST_NAME
    run call "$name"
    if [ "$status" -ne 0 ] || ! grep -q "call passed" text ||
        [ "$(grep -c "calls $name, which is not provided" text)" -ne 1 ]; then
        cat text
        echo "FAILED: $name: status $status"
        exit 1
    fi
    count=$((count + 1))
done
[ "$count" -gt 100 ] || exit 1
echo "$count functions say that they are not provided"

# Fat binaries with a few changes: the program runs to its end, or gets an
# error and a message, though everything is to be quiet.
bad=0
for TEST_FATBIN in raw lz4 zstd cubin; do
    for TEST_DAMAGE in $(seq 1 40); do
        export TEST_FATBIN TEST_DAMAGE
        run basic "$TEST_FATBIN $TEST_DAMAGE"
        [ "$status" -ne 0 ] || continue
        bad=$((bad + 1))
        # The program's own check, or ours.
        if ! grep -q "^line " text ||
            grep -q "gave 2[0-9][0-9] " text && ! grep -q "^warploom: " text
        then
            cat text
            echo "FAILED: $TEST_FATBIN $TEST_DAMAGE: no message"
            exit 1
        fi
    done
done
echo "$bad of 160 damaged fat binaries could not be used"
[ "$bad" -gt 30 ] && [ "$bad" -lt 160 ]
