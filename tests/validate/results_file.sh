#!/bin/sh
# usage: results_file.sh WARPLOOM SOURCE_DIR
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/run.lua" <<'END'
local loom = require "warploom"
loom.run {
  machine = loom.preset.gtx480 { sm_count = 3 },
  workload = loom.suite.bicg { rows = 200, columns = 70 },
  stats = { file = "run.h5", snapshot = { "kernel_end" },
            series = { bw = { every = "10us", select = "**.dram.*bytes*" } } },
}
END
"$1" run "$work/run.lua" -o "$work/run.h5" --quiet
"$1" stats "$work/run.h5" --check
# Every part of the layout is there.
"$1" stats "$work/run.h5" 'gpu.sm.l1d.miss_ratio' | grep -q 'per lookup'
for sample in bicg_columns bicg_rows end; do
    "$1" stats "$work/run.h5" 'gpu.sm.warp_insts' --sample "$sample" |
        grep -q 'warp_inst'
done
# Not a results file, and half of one: errors, not crashes.
printf 'garbage' >"$work/garbage.h5"
head -c 9000 "$work/run.h5" >"$work/half.h5"
for file in garbage half missing; do
    if "$1" stats "$work/$file.h5" >"$work/out" 2>&1; then
        echo "$file.h5 was accepted"
        exit 1
    elif [ $? -ne 1 ]; then
        echo "$file.h5: wrong exit status"
        exit 1
    fi
done
