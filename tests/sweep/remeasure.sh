#!/bin/sh
# Metrics: a name that no result has is found before a point is run; one that
# fails at the points costs no simulation; all can be had anew from what was
# kept, with the values that a new sweep gives.
#
# usage: remeasure.sh WARPLOOM
set -eu
warploom=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
script() { # NAME METRICS [WARPS]
    cat >"$1.lua" <<END
local loom = require "warploom"
return loom.experiment { name = "sweep",
  axes = { rows = { 32, 64 }, own = { "suite", "script" } },
  base = function(p)
    local suite = loom.suite.atax { rows = p.rows, columns = 32 }
    local gpu = loom.preset.tiny {}
    gpu:each "sm[*]":attach(loom.swl { warps = ${3:-4} })
    return { machine = gpu,
             workload = p.own == "suite" and suite or function(dev)
               suite.run(dev, suite.values)
             end }
  end,
  metrics = { $2 } }
END
}
# tried TEXT: the script is refused with it before anything is run.
tried() {
    if "$warploom" sweep x.lua -o none >out 2>&1; then
        echo "taken: $1"
        exit 1
    fi
    grep -q "$1" out || { echo "no '$1' in:"; cat out; exit 1; }
    [ ! -e none ] || { echo "points were run"; exit 1; }
}
script x 'y = function(r) return r.cyclse end'
tried "metric 'y': a run has no 'cyclse'; did you mean 'cycles'?"
script x 'y = function(r) return r.stats("gpu/sm/l1d").mises end'
tried "has no statistic 'mises'"
script x 'y = function(r) return r.stats("gpu/sm/l1dd").misses end'
tried "the machine has no 'gpu/sm/l1dd'"
script x 'y = function(r)
  return r.stats("gpu/sm/l1d").misses_by_kind.laod end'
tried "has no 'laod'; did you mean 'load'?"
script x 'y = function(r) return r.kernels[1].second end'
tried "has no 'second'; did you mean 'seconds'?"
script x 'y = function(r) return r.storage["gpu/sm/policy/swl"].totl end'
tried "has no 'totl'; did you mean 'total'?"

# One that fails where something has run.
script fails 'a = function(r) return r.cycles > 0 and error "no" or 1 end'
if "$warploom" sweep fails.lua -o s -j 2 >out 2>&1; then exit 1; fi
grep -q "the runs of 4 points are kept: mend the metric" out ||
    { cat out; exit 1; }
metrics='cycles = function(r) return r.cycles end, one =
  function(r) return r.stats("gpu[0].sm[1].l1d").hits end, all =
  function(r)
    local sum = r.seconds + r.warp_insts + r.thread_insts
    for _, g in ipairs { "gpu", "gpu/sm", "gpu/sm/l1d", "gpu/sm/ldst", "gpu/l2",
                         "gpu/dram", "gpu[0].sm[0]", "gpu/sm/policy/swl" } do
      for _, name in ipairs { "misses", "miss_ratio", "warp_insts", "reads",
                              "bandwidth", "utilisation", "mean_warps" } do
        local ok, x = pcall(function() return r.stats(g)[name] end)
        if ok and type(x) == "number" then sum = sum * 3 + x end
      end
    end
    local latency = r.stats "gpu/sm/ldst".load_latency
    for i = 0, 12 do sum = sum + latency[i] * (i + 1) end
    return sum + latency.min * 7 + latency.max + latency.sum +
           r.stats "gpu/sm/l1d".misses_by_kind.load * 3 +
           r.kernels[2].seconds + r.storage["gpu/sm/policy/swl"].total
  end'
script good "$metrics"
"$warploom" sweep good.lua -o s -j 2 --remeasure >out 2>&1 ||
    { cat out; exit 1; }
grep -q "4 points, 0 run, 0 done before, 4 measured again, 0 failed" out ||
    { cat out; exit 1; }
"$warploom" sweep good.lua -o new -j 2 >/dev/null 2>&1
"$warploom" sweep good.lua -o new --csv -q >/dev/null 2>&1
"$warploom" sweep good.lua -o s --csv -q >/dev/null 2>&1
cmp s/results.csv new/results.csv
# They are done now.
"$warploom" sweep good.lua -o s --dry-run 2>/dev/null | grep -q ' 0 to run'
# Another machine is another run, and is not measured as if it were this one.
script other 'cycles = function(r) return r.cycles end' 2
if "$warploom" sweep other.lua -o s --remeasure >out 2>&1; then exit 1; fi
grep -q 'no results of this point are kept that could be measured again' out ||
    { cat out; exit 1; }
echo "metrics are tried, kept and measured again"
