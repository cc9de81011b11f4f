#!/bin/sh
# The driver API: every function that is not provided says so, once, and fails;
# a program runs without the wrapper, and by a name that it opens itself.
# Compilers that programs call at run time: what is missing is said.
#
# usage: driver.sh WARPLOOM SOURCE_DIR DRIVER_TEST COMPILERS_TEST
set -eu
warploom=$1
source=$2
program=$3
compilers=$4
folder=$(dirname "$warploom")/cuda
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
cd "$out"
TEST_PTX=$source/tests/cuda/kernels.ptx
export TEST_PTX
echo 'return require "warploom".preset.gtx480 {}' >run.lua

. "$source/tests/cuda/want.sh"

# Each name twice: one line.
count=0
for name in $(sed -n 's/^MISSING(\(.*\))$/\1/p' \
    "$source/cuda/driver/missing.c"); do
    LD_LIBRARY_PATH=$folder TEST_NAME=$name "$program" call >text 2>&1 ||
        fail "$name"
    [ "$(grep -c "the program calls $name, which is not provided" text)" -eq 1 ] ||
        fail "$name says nothing, or too much"
    count=$((count + 1))
done
[ "$count" -gt 200 ] || fail "only $count names"
echo "$count functions of the driver API say that they are not provided"

# Modules that are damaged: each is loaded, or there is an error, and a word of
# it in spite of --quiet.
bad=0
for TEST_DAMAGE in $(seq 1 60); do
    export TEST_DAMAGE
    want 0 "^damaged passed" "$warploom" cuda run.lua --quiet --functional -- \
        "$program" damaged
    if grep -q "^error [^0]" text; then
        bad=$((bad + 1))
        grep -q "^warploom: " text || fail "damage $TEST_DAMAGE: no message"
    fi
done
[ "$bad" -gt 20 ] && [ "$bad" -lt 60 ] || fail "$bad of 60 are damaged"
echo "$bad of 60 damaged modules could not be used"

# Without the wrapper; results are written however the program ends.
want 0 "module passed" env LD_LIBRARY_PATH="$folder" \
    WARPLOOM_CUDA="run.lua --quiet -o direct.h5" "$program" module
[ -f direct.h5 ] || fail "no direct.h5"
want 1 "this CUDA library simulates a GPU, but .WARPLOOM_CUDA names no" \
    env LD_LIBRARY_PATH="$folder" "$program" module
# What a program asks before it has a context needs no run, and leaves none.
want 0 "entry passed" "$warploom" cuda run.lua --quiet -o none.h5 -- \
    "$program" entry
[ ! -e none.h5 ] || fail "a run without a call"

# Compilers.
want 0 "^create: 11, NVRTC is not installed$" \
    "$warploom" cuda run.lua --quiet -- "$compilers"
grep -q "^linker: 6$" text || fail "nvJitLink"
grep -q "calls nvrtcCreateProgram of libnvrtc.so.12.*not installed.*nvcc -ptx" \
    text || fail "no word of NVRTC"
[ "$(grep -c "nvrtcCreateProgram" text)" -eq 1 ] || fail "told twice"
grep -q "__nvJitLinkCreate_13_0 of libnvJitLink.so.13" text || fail "no linker"
# Where there is one, ours is not in its way.
mkdir theirs
cp "$folder"/absent/libnv*.so.* theirs
want 0 "^create: 11" env LD_LIBRARY_PATH="$out/theirs" LD_DEBUG=libs \
    "$warploom" cuda run.lua --quiet -- "$compilers"
grep -q "calling init: $out/theirs/libnvrtc.so.12" text || fail "theirs"
grep -q "/cuda/absent/libnvrtc" text && fail "ours is in the way"
exit 0
