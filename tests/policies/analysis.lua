-- Analysis policies: attaching all of them changes no other number, and what
-- they say of programs whose locality is known is exact.
local loom = require "warploom"

local failed = 0

local function expect(what, ok)
  if not ok then
    print("not so: " .. what)
    failed = failed + 1
  end
end

local function watch(gpu)
  gpu:each "sm[*].l1d":attach(loom.locality_analysis {})
  gpu:each "sm[*].l1d":attach(loom.load_analysis {})
  gpu:each "sm[*].l1d":attach(loom.conflict_analysis {})
  gpu:each "sm[*].l1d":attach(loom.warp_analysis {})
  gpu:each "l2[*]":attach(loom.ideal_gating {})
end

-- Cycles, the digest of memory and every counter of the machine.
local groups = { "gpu", "gpu/sm", "gpu/sm/ldst", "gpu/sm/l1d", "gpu/noc",
                 "gpu/l2", "gpu/dram" }
local scalars = {
  gpu = "ctas", ["gpu/sm"] = "cycles warp_insts thread_insts warps",
  ["gpu/sm/ldst"] = "accesses replies l1_hits l1_bypasses",
  ["gpu/sm/l1d"] = "accesses hits pending_hits misses bypasses mshr_merges " ..
    "fetches fetched_bytes fills evictions write_evictions flushed_lines " ..
    "mshr_entry_cycles",
  ["gpu/noc"] = "request_packets reply_packets",
  ["gpu/l2"] = "accesses hits pending_hits misses writebacks",
  ["gpu/dram"] = "read_requests write_requests activates precharges columns",
}

local function numbers(run)
  local out = { "cycles " .. run.cycles }
  for _, group in ipairs(groups) do
    for name in scalars[group]:gmatch "%S+" do
      out[#out + 1] = ("%s %s %s"):format(group, name,
                                          run.stats(group)[name])
    end
  end
  for _, name in ipairs { "line", "mshr", "merge", "miss_queue" } do
    out[#out + 1] = name .. " " ..
      run.stats "gpu/sm/l1d".reservation_fails[name]
  end
  return table.concat(out, "\n")
end

for _, name in ipairs { "atax", "bfs", "gemm", "reduction", "spmv",
                        "micro_contend" } do
  local workload = loom.suite[name] { size = "tiny" }
  local plain = loom.preset.gtx480 { sm_count = 2 }
  local watched = loom.preset.gtx480 { sm_count = 2 }
  watch(watched)
  local a = loom.run { machine = plain, workload = workload }
  local b = loom.run { machine = watched, workload = workload }
  expect(name .. ": the same numbers", numbers(a) == numbers(b))

  -- They agree with the counters of what they watch.
  local l1d, sm = b.stats "gpu/sm/l1d", b.stats "gpu/sm"
  local ldst = b.stats "gpu/sm/ldst"
  local loads = b.stats "gpu/sm/ldst/policy/load_analysis"
  local conflicts = b.stats "gpu/sm/l1d/policy/conflict_analysis"
  local warps = b.stats "gpu/sm/policy/warp_analysis"
  expect(name .. ": accesses of loads", loads.accesses == ldst.load_accesses)
  expect(name .. ": loads", conflicts.loads == l1d.accesses_by_kind.load)
  expect(name .. ": hits", conflicts.hits == l1d.hits_by_kind.load and
                           loads.hits == conflicts.hits)
  expect(name .. ": issues", warps.issues == sm.warp_insts)
  expect(name .. ": cycles", warps.buffered_cycles == sm.cycles)
  expect(name .. ": warps", warps.resident_warp_cycles ==
                            sm.resident_warp_cycles)
end

-- 64 lines that a warp uses 20 times, and 2560 that it uses once.
do
  local function run(infinite)
    local gpu = loom.preset.gtx480 { sm_count = 1, sm = { l1d = {
      ways = 4, set_index = loom.linear_index {}, infinite = infinite } } }
    watch(gpu)
    return loom.run { machine = gpu, workload = loom.suite.micro_protect {} }
  end
  local all = run(true)
  local lines = all.stats "gpu/sm/l1d/policy/locality_analysis"
  expect("classes", lines.lines_by_class.intra == 64 and
         lines.lines_by_class.streaming == 2560 and lines.lines == 2624)
  expect("uses", lines.lines_by_uses["1"] == 2560 and
         lines.lines_by_uses["17_32"] == 64)
  expect("similarity", lines.access_pattern_similarity == 1)
  -- Each of the 19 later uses is 192 accesses after the one before.
  expect("distances", lines.same_warp_distance.count == 64 * 19 and
         lines.same_warp_distance.sum == 64 * 19 * 192 and
         lines.same_warp_distance.min == 192)
  local some = run(false)
  local c = some.stats "gpu/sm/l1d/policy/conflict_analysis"
  expect("cold misses", c.misses.cold == 2624)
  expect("conflicts within the warp", c.misses.intra_warp == 64 * 19 and
         c.misses.inter_warp == 0)
  local short = some.stats "gpu/sm/l1d/policy/locality_analysis"
  expect("a small cache hides the locality",
         short.lines_by_class.intra == 0 and short.lines == 3840)
end

-- 24 warps in turn, each with lines of its own: they push each other's out.
do
  local gpu = loom.preset.gtx480 { sm_count = 1, sm = {
    scheduler = loom.lrr {},
    l1d = { ways = 4, set_index = loom.linear_index {} } } }
  watch(gpu)
  local run = loom.run { machine = gpu, workload = loom.suite.micro_contend {} }
  local c = run.stats "gpu/sm/l1d/policy/conflict_analysis"
  expect("conflicts between warps",
         c.misses.inter_warp > 10 * c.misses.intra_warp)
  local l = run.stats "gpu/sm/ldst/policy/load_analysis"
  expect("loads of 8 lines are divergent",
         l.divergent.fully + l.divergent.partially + l.divergent.uncached ==
         24 * 8 * 8)
end

if failed > 0 then error(failed .. " differ", 0) end
print "analysis agrees, and changes nothing"
