#!/bin/sh
# llm.c's trainers of a GPT-2, as they are: train_gpt2_fp32.cu, which calls
# cuBLAS, and train_gpt2.cu in bfloat16, which calls cublasLt, for three steps of
# a small model on a simulated GPU, without timing; their losses beside those of
# llm.c's own trainer for the CPU, train_gpt2.c.
#
# usage: llm.sh DIR
#
# DIR is a clone of llm.c.  Of the surroundings: WARPLOOM, else
# build/release/warploom; NVCC, else that of $PATH or /usr/local/cuda/bin;
# MACHINE, a script, else the preset h100; KEEP, a folder for what is made.
# Ends with 1 if a loss differs by more than 1e-4 (bfloat16: 0.02), with 77 where
# there is no nvcc.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
if [ $# -ne 1 ] || [ ! -f "$1/train_gpt2_fp32.cu" ]; then
    sed -n '2,/^set/s/^# \{0,1\}//p' "$0"
    exit 2
fi
llm=$(cd "$1" && pwd)
warploom=${WARPLOOM:-$here/../../../build/release/warploom}
warploom=$(cd "$(dirname "$warploom")" && pwd)/$(basename "$warploom")
nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
command -v "$nvcc" >/dev/null || {
    echo "SKIPPED: no nvcc ($nvcc), so nobody has built llm.c with it"
    exit 77
}
work=${KEEP:-$(mktemp -d)}
mkdir -p "$work"
[ -n "${KEEP:-}" ] || trap 'rm -rf "$work"' EXIT
[ -z "${MACHINE:-}" ] || cp "$MACHINE" "$work/machine.lua"
cd "$work"
[ -n "${MACHINE:-}" ] ||
    echo 'return require "warploom".preset.h100 {}' >machine.lua
steps=3
"${CC:-cc}" -O2 -o files "$here/files.c"
# Widths are multiples of 128 and the vocabulary has 8192 words at the least:
# kernels of llm.c read beyond their arrays otherwise, or do not end.
./files 2 4 128 64 8192 $steps
mkdir -p dev/data/tinyshakespeare # where the CPU's trainer looks
cp train.bin dev/data/tinyshakespeare/tiny_shakespeare_train.bin
cp valid.bin dev/data/tinyshakespeare/tiny_shakespeare_val.bin
"${CC:-cc}" -O2 -w -o cpu "$llm/train_gpt2.c" -lm
build() { # NAME FLAGS...: a trainer
    name=$1
    shift
    "$nvcc" -O3 -w --use_fast_math -std=c++17 -arch=sm_90 "$@" \
        -o "$name" -lcublas -lcublasLt
}
build single "$llm/train_gpt2_fp32.cu"
build half -DENABLE_BF16 -include "$here/cuda13.h" "$llm/train_gpt2.cu"

stdbuf -oL ./cpu 2>&1 | sed "/^step $steps:/q" >cpu.txt || true
set -- -b 4 -t 64 -l 1e-4 -v 100 -m 1 -s 1000 -g 1
"$warploom" cuda machine.lua --functional --quiet -o single.h5 -- \
    ./single "$@" -i train.bin -j valid.bin >single.txt
"$warploom" cuda machine.lua --functional --quiet -o half.h5 -- \
    ./half "$@" -i train.bin -j valid.bin -e gpt2_bf16.bin -d 256 -x $steps \
    -r 0 -c 0 >half.txt

sed -n 's/^step \([0-9]*\): train loss \([0-9.]*\).*/\1 \2/p' cpu.txt |
    awk '{ print $1 + 1, $2 }' >cpu.losses
sed -n 's/^step *\([0-9]*\)\/.*: train loss \([0-9.]*\).*/\1 \2/p' \
    single.txt >single.losses
sed -n 's/^step *\([0-9]*\)\/.*| loss \([0-9.]*\).*/\1 \2/p' half.txt \
    >half.losses
awk -v steps=$steps '
FILENAME == "cpu.losses" { cpu[$1] = $2; next }
FILENAME == "single.losses" { single[$1] = $2; next }
{ half[$1] = $2 }
function off(a, b) { return a > b ? a - b : b - a }
END {
    print "step       CPU   float  bfloat16"
    for (i = 1; i <= steps; i++) {
        printf "%4d  %8.6f  %8.6f  %8.6f\n", i, cpu[i], single[i], half[i]
        wrong += !(cpu[i] > 0) || off(cpu[i], single[i]) > 1e-4 ||
                 off(cpu[i], half[i]) > 0.02
    }
    print wrong ? "FAILED" : "PASSED"
    exit wrong > 0
}' cpu.losses single.losses half.losses
