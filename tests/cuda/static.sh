#!/bin/sh
# Programs with NVIDIA's runtime in them: whoever starts them, and those that
# cannot be run.
#
# usage: static.sh WARPLOOM SOURCE_DIR STATIC_API_TEST
set -eu
warploom=$1
source=$2
program=$3
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
cd "$out"
TEST_PTX=$source/tests/cuda/kernels.ptx
export TEST_PTX
echo 'return require "warploom".preset.tiny {}' >run.lua

. "$source/tests/cuda/want.sh"

# Without the wrapper, and started by another program.
want 0 "basic passed" env \
    LD_PRELOAD="$(dirname "$warploom")/cuda/libwarploom_static.so" \
    WARPLOOM_CUDA="run.lua --quiet -o a.h5" "$program" basic
[ -f a.h5 ] || fail "no a.h5"
printf '#!/bin/sh\n"%s" basic && echo after\n' "$program" >script
chmod +x script
want 0 "^after" "$warploom" cuda run.lua --quiet -o b.h5 -- ./script
grep -q "basic passed" text || fail "a script's program"
[ -f b.h5 ] || fail "no b.h5"
want 1 "NVIDIA's\|WARPLOOM_CUDA names no script" env \
    LD_PRELOAD="$(dirname "$warploom")/cuda/libwarploom_static.so" \
    "$program" basic

# What somebody else preloads comes later.
want 0 "object 'none.so' from LD_PRELOAD" env LD_PRELOAD=none.so \
    "$warploom" cuda run.lua --quiet -- "$program" basic
grep -q "basic passed" text || fail "another LD_PRELOAD"

# A folder with a space in its name.
mkdir "a place"
cp "$warploom" "a place"
ln -s "$(dirname "$warploom")/cuda" "a place/cuda"
want 0 "basic passed" "a place/warploom" cuda run.lua --quiet -- "$program" \
    basic

# Without symbols, or without its local ones, there is nothing to go by.
strip -o stripped "$program"
want 1 "'./stripped' has NVIDIA's CUDA runtime in it, but not the symbols" \
    "$warploom" cuda run.lua -- ./stripped basic
grep -q "nvcc -cudart shared" text || fail "no way out"
# Programs without kernels are none of our business.
want 0 "^hello" "$warploom" cuda run.lua -- echo hello

# Sections where there are none, and tables of nothing: read with care.  The
# program needs none of them to run.
damaged=0
for at in 40 41 44 58 60 62; do
    cp "$program" damaged
    for value in 001 200 377; do
        printf "\\$value" | dd of=damaged bs=1 seek="$at" conv=notrunc \
            2>/dev/null
        got=0
        "$warploom" cuda run.lua --quiet -- ./damaged basic >text 2>&1 ||
            got=$?
        [ "$got" -lt 126 ] || fail "damaged at $at with $value: $got"
        damaged=$((damaged + 1))
    done
done
echo "$damaged damaged programs ran, or were refused"
