#!/bin/sh
# Errors of sampled points: what metrics and derived columns have is what the
# run says of the numbers that they read, from a run that was made before, too.
#
# usage: errors.sh WARPLOOM
set -eu
warploom=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

cat > e.lua <<'END'
local loom = require "warploom"
local function of(group, name, part)
  return function(run)
    local errors = run.errors(group)[name]
    return part and errors[part] or errors
  end
end
local l1, first = "gpu/sm/l1d", "gpu/sm[0]/l1d"
return loom.experiment {
  name = "errors",
  axes = { queries = { 1500, 2000 } },
  base = function(p)
    return { machine = loom.preset.tiny {}, sample = true,
             workload = loom.suite.btree { keys = 100000, ranges = 1000,
                                           queries = p.queries } }
  end,
  metrics = {
    a = function(run) return run.cycles end,
    a_want = function(run) return run.cycles_error end,
    b = function(run) return run.stats(l1).misses end, b_want = of(l1, "misses"),
    c = "gpu/sm/l1d.miss_ratio", c_want = of(l1, "miss_ratio"),
    d = function(run) return run.stats(l1).misses_by_kind.load end,
    d_want = of(l1, "misses_by_kind", "load"),
    e = function(run) return run.stats(first).hits end, e_want = of(first, "hits"),
    f = function(run) return run.stats "gpu/dram".read_latency.sum end,
    f_want = of("gpu/dram", "read_latency", "sum"),
    g = function(run) return 2 * run.warp_insts / run.cycles end,
    g_want = function(run)
      return 2 * run.warp_insts * run.cycles_error / run.cycles ^ 2
    end,
    h = function(run)
      return run.stats(l1).misses - run.stats(l1).hits
    end,
    h_want = function(run)
      local errors = run.errors(l1)
      return math.sqrt(errors.misses ^ 2 + errors.hits ^ 2)
    end,
    insts = function(run) return run.warp_insts end,
  },
  derive = { speed = function(t)
    return t.a:normalise({ queries = 2000 }, "inverse")
  end },
}
END
"$warploom" sweep e.lua -o first --csv -q --store store > /dev/null
cat > check.lua <<'END'
local lines = {}
for line in io.lines(arg[1]) do
  local row = {}
  for cell in (line .. ","):gmatch "([^,]*)," do row[#row + 1] = cell end
  lines[#lines + 1] = row
end
local at, count = {}, 0
for i, name in ipairs(lines[1]) do at[name] = i end
for _, name in ipairs { "a", "b", "c", "d", "e", "f", "g", "h" } do
  for i = 2, #lines do
    local got = tonumber(lines[i][at[name .. "_stderr"]])
    local want = tonumber(lines[i][at[name .. "_want"]])
    assert(got and got > 0 and math.abs(got - want) < 1e-3 * want,
           ("%s: %s, expected %s"):format(name, got, want))
    count = count + 1
  end
end
assert(not at.insts_stderr, "instructions are exact")
print(count .. " errors are the run's")
END
lua5.4 check.lua first/results.csv
grep -q '^queries,speed,speed_stderr$' first/speed.csv
grep -q '^2000,1,0$' first/speed.csv
"$warploom" sweep e.lua -o second --csv --store store > log 2> progress
grep -q '2 from the store' log
cmp first/results.csv second/results.csv
for folder in first second; do
    h5dump -a /estimates $folder/results.h5 | grep -q '"sampled"'
    h5dump -d /points/estimates $folder/results.h5 |
        grep -q '"sampled", "sampled"'
done
h5dump -a /metrics/a/ancillary_variables first/results.h5 | grep -q '"a_stderr"'
h5dump -d /derived/speed/value_stderr first/results.h5 | grep -q '(0): .*[1-9]'
"$warploom" plot first/results.h5 speed -o p.json > /dev/null
grep -q '"high":' p.json
echo "errors are the same from a run and from its results file"
