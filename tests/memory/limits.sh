#!/bin/sh
# Runs, sweeps and CUDA programs where there is little memory: what fits runs
# as it does elsewhere, and what does not says what there was no room for and
# ends with status 6; results so far are there.
#
# usage: limits.sh WARPLOOM CUDA_PROGRAM FOLDER KERNELS SCRATCH
set -eu
warploom=$1
program=$2
folder=$3
kernels=$4
scratch=$5
rm -rf "$scratch"
mkdir -p "$scratch"
cd "$scratch"
failed=0

wrong() {
    echo "FAIL $1"
    cat log
    failed=1
}

# limited KIB COMMAND..: output in `log`, the status in `status`.
limited() {
    kib=$1
    shift
    status=0
    (ulimit -v "$kib" && exec timeout 600 "$@") >log 2>&1 || status=$?
}

# What fits: the same digest as without a limit.
"$warploom" run "$folder/run.lua" >log 2>&1 || wrong "without a limit"
want=$(grep 'state digest' log)
for kib in 8000000 2000000 500000 200000 100000; do
    for threads in 1 4; do
        limited $kib "$warploom" run --threads $threads "$folder/run.lua"
        [ $status = 0 ] && [ "$(grep 'state digest' log)" = "$want" ] ||
            wrong "run in $kib KiB with $threads threads: status $status"
    done
done
for kib in 8000000 2000000 500000 200000; do
    limited $kib "$warploom" sweep -j 2 -o "sweep$kib" "$folder/sweep.lua"
    [ $status = 0 ] && grep -q ' 3 run, 0 done before, 0 failed' log ||
        wrong "sweep in $kib KiB: status $status"
    limited $kib env TEST_PTX="$kernels" "$warploom" cuda -q \
        -o "cuda$kib.h5" "$folder/machine.lua" -- "$program" basic
    [ $status = 0 ] && grep -q 'basic passed' log ||
        wrong "CUDA program in $kib KiB: status $status"
done

# What does not fit, wherever it ends: a message, and never another status.
# Below that the system cannot start the program at all.
kib=70000
while [ $kib -ge 28000 ]; do
    limited $kib "$warploom" run -q "$folder/run.lua"
    case $status in
    0) ;;
    6) grep -q 'no memory\|no host memory\|allocate memory' log || wrong "$kib KiB: no message" ;;
    5) grep -q 'memory' log || wrong "$kib KiB: no message" ;;
    127) grep -q 'shared' log || wrong "$kib KiB: status 127" ;;
    *) wrong "$kib KiB: status $status" ;;
    esac
    kib=$((kib - 3000))
done
limited 40000 "$warploom" sweep -j 2 -o few "$folder/sweep.lua"
[ $status = 6 ] && grep -q 'no memory for' log ||
    wrong "sweep in 40000 KiB: status $status"

# A script that takes all there is: after a run, inside of one, and where the
# device is what is full.  The runs' results are there.
for case in after inside; do
    for kib in 100000 300000; do
        rm -f kept.h5
        limited $kib "$warploom" run -q "$folder/full.lua" --set case=$case
        [ $status = 6 ] &&
            grep -q "memory error: .*no memory for the script: .*$(
                )address space .ulimit -v." log ||
            wrong "$case in $kib KiB: status $status"
        "$warploom" stats kept.h5 '**.sm*' >log 2>&1 &&
            grep -q "'end'" log || wrong "$case in $kib KiB: results"
    done
done
limited 300000 "$warploom" run -q "$folder/full.lua" --set case=device
[ $status = 6 ] && grep -q "full.lua:[0-9]*: no host memory for allocation $(
    )'buffer [0-9]*' of 67108864 bytes; device memory has" log ||
    wrong "device: status $status"
limited 300000 "$warploom" run -q "$folder/full.lua" --set case=text
[ $status = 6 ] && grep -q "memory error: .*no memory for the script" log ||
    wrong "text: status $status"
[ $failed = 0 ] && echo "limits passed"
exit $failed
