#!/bin/sh
# Results that sweeps share: what one has run, another with other metrics and
# another script takes, with the same numbers that it would have simulated;
# damaged ones are run again; and what the store does not keep is run.
#
# usage: store.sh WARPLOOM
set -eu
warploom=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

script() { # NAME METRICS SCHEDULERS
    cat > "$1.lua" <<END
local loom = require "warploom"
return loom.experiment {
  name = "$1",
  axes = { bench = { "atax", "reduction" }, sched = { $3 } },
  base = function(p)
    local gpu = loom.preset.tiny {}
    gpu:each "sm[*]":attach(p.sched)
    return { machine = gpu, workload = loom.suite[p.bench] { size = "tiny" } }
  end,
  metrics = { $2 },
}
END
}
both='lrr = loom.lrr {}, gto = loom.gto {}'
script first 'cycles = function(run) return run.cycles end' "$both"
# Every statistic of every group, as one number.
script second 'sum = function(run)
    local s = 0
    for _, g in ipairs { "gpu/sm", "gpu/sm/l1d", "gpu/l2", "gpu/dram" } do
      for _, name in ipairs { "cycles", "accesses", "misses", "miss_ratio",
                              "warp_insts", "reads", "bandwidth" } do
        local ok, value = pcall(function() return run.stats(g)[name] end)
        if ok and type(value) == "number" then s = s * 3 + value end
      end
    end
    return s + run.kernels[1].warp_insts + run.seconds
  end, miss = "gpu.sm.l1d.miss_ratio",
  stall = function(run) return run.stats "gpu/sm".issue_slots.issued end' \
    "$both, old = loom.oldest {}"
# Of an instance, too.
script third 'one = function(run) return run.stats "gpu/sm[1]/l1d".hits end' \
    "$both"

# What rewrites kernels is part of the machine.
rewritten() { # NAME LINES
    cat > "$1.lua" <<END
local loom = require "warploom"
return loom.experiment {
  name = "$1",
  axes = { line = { $2 } },
  base = function(p)
    return { machine = loom.preset.tiny {}, transform = loom.sl1 {
               line = p.line, threshold = 5 },
             workload = loom.suite.sl1_upper { size = "tiny" } }
  end,
  metrics = { insts = function(run) return run.warp_insts end },
}
END
}
rewritten lines '8, 16'
rewritten more '16, 24, 8'

say() { # SCRIPT EXPECTED
    got=$("$warploom" sweep "$1.lua" -j 2 --store store 2>/dev/null | tail -n 1)
    [ "$got" = "$2: $1.sweep/results.h5" ] ||
        { echo "$1: '$got', expected '$2'"; exit 1; }
}
say first "4 points, 4 run, 0 done before, 0 from the store, 0 failed"
# pcall catches what is not there in both runs, or in neither.
say second "6 points, 2 run, 0 done before, 4 from the store, 0 failed"
say third "4 points, 0 run, 0 done before, 4 from the store, 0 failed"
say lines "2 points, 2 run, 0 done before, 0 from the store, 0 failed"
say more "3 points, 1 run, 0 done before, 2 from the store, 0 failed"
"$warploom" sweep more.lua -o alone.sweep --csv >/dev/null 2>&1
"$warploom" sweep more.lua -j 1 --store store --csv >/dev/null 2>&1
cmp alone.sweep/results.csv more.sweep/results.csv
say second "6 points, 0 run, 6 done before, 0 from the store, 0 failed"

# The same numbers as without a store; digests are those of the files, which
# name the script that made them.
for name in second third; do
    "$warploom" sweep "$name.lua" -q -j 2 -o "plain.$name"
    for results in "$name.sweep" "plain.$name"; do
        h5dump -d /metrics/sum -d /metrics/miss -d /metrics/stall \
            -d /metrics/one "$results/results.h5" 2>/dev/null |
            sed 1d > "$results.text" || true
        "$warploom" stats --csv "$results/results.h5" 2>/dev/null \
            >> "$results.text" || true
    done
    [ -s "$name.sweep.text" ] && cmp "$name.sweep.text" "plain.$name.text"
done

# Damaged runs, and results files that are others: all are run again.
for run in store/*.run; do printf 'x' >> "$run"; done
rm -rf first.sweep
say first "4 points, 4 run, 0 done before, 0 from the store, 0 failed"
set -- first.sweep/points/*.h5 # one file, two names
printf 'x' >> "$1"
rm -rf first.sweep
say first "4 points, 1 run, 0 done before, 3 from the store, 0 failed"

# Another seed is another run.
got=$("$warploom" sweep first.lua -j 2 --seed 7 --store store -o seven \
    2>/dev/null | tail -n 1)
[ "$got" = "4 points, 4 run, 0 done before, 0 from the store, 0 failed: \
seven/results.h5" ] || { echo "seed: $got"; exit 1; }
echo "store: 5 sweeps, shared and damaged runs as expected"
