#!/bin/sh
# Every parameter at its ends (extremes.lua), within 16 GiB of address space and
# ten minutes for each of `seeds` kernels, 7 and those after it.
# usage: extremes.sh WARPLOOM SOURCE_DIR [SEEDS]
set -eu
warploom=$1
root=$2
seeds=${3:-1}
limit=16777216 # KiB

export WARPLOOM_PATH="$root/tests/lua:$root/tests/validate"
if ! (ulimit -v $limit && "$warploom" --version) > /dev/null 2>&1; then
    echo "NOT LIMITED: this build does not start within $limit KiB (a sanitizer)"
    limit=unlimited
fi
ulimit -v $limit
seed=7
while [ $seed -lt $((7 + seeds)) ]; do
    timeout 600 "$warploom" --unsafe --quiet run "$root/tests/validate/extremes.lua" \
        --set seed=$seed
    seed=$((seed + 1))
done
