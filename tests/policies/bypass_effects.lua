-- Each technique of bypass and protection on a program made for it: the
-- effect for which it was invented, with a bound.  Where the numbers follow
-- from the program and the policy they are exact.
local loom = require "warploom"

local failed = 0

local function expect(what, ok, ...)
  print(("%-58s %s"):format(what:format(...), ok and "yes" or "NO"))
  if not ok then failed = failed + 1 end
end

-- One SM; an L1 of 32 sets and 4 ways with a plain index.
local function run(workload, policy, options)
  options = options or {}
  local gpu = loom.preset.gtx480 { sm_count = 1, sm = {
    scheduler = options.scheduler,
    l1d = { size_bytes = "16KiB", ways = 4,
            set_index = loom.linear_index {} } } }
  if policy then gpu:each "sm[*].l1d":attach(policy) end
  if options.l2 then gpu:each "l2[*]":attach(options.l2) end
  local done = loom.run { machine = gpu, workload = workload }
  local l1d = done.stats "gpu/sm/l1d"
  return { cycles = done.cycles, hits = l1d.hits + l1d.pending_hits,
           misses = l1d.misses, bypasses = l1d.bypasses,
           line_fails = l1d.reservation_fails.line, l1d = l1d,
           stats = done.stats }
end

-- Dead blocks.  A kept line's uses are (64 + 128) / 32 = 6 accesses to its
-- set apart, more than the 4 ways; of the 6 lines that a set sees in a round
-- 2 are used again.  A distance of 6 keeps them: all uses but the first hit.
do
  local kept, rounds = 64, 20
  local workload = loom.suite.micro_protect { kept = kept, stream = 128,
                                              rounds = rounds }
  local lru = run(workload)
  local short = run(workload, loom.pdp { distance = 5 })
  local exact = run(workload, loom.pdp { distance = 6 })
  local cache = run(workload, loom.pdp { distance = 192, scope = "cache" })
  local any = run(workload, loom.pdp { distance = 6, none = "any" })
  expect("LRU: no use hits (%d)", lru.hits == 0, lru.hits)
  expect("pdp, a distance too short: as LRU (%d)", short.hits == 0,
         short.hits)
  expect("pdp, the distance: all later uses hit (%d)",
         exact.hits == kept * (rounds - 1), exact.hits)
  expect("pdp, the cache's accesses: the same (%d)",
         cache.hits == kept * (rounds - 1), cache.hits)
  expect("pdp without bypass: nothing is gained (%d)", any.hits == 0,
         any.hits)
  expect("pdp: at least 10 %% faster (%d, %d)",
         exact.cycles < 0.9 * lru.cycles, exact.cycles, lru.cycles)

  -- The load of the stream is the second one of the kernel.
  local listed = run(workload, loom.load_bypass { loads = { 1 } })
  expect("load_bypass of the stream: all later uses hit (%d)",
         listed.hits == kept * (rounds - 1), listed.hits)

  -- To abyp both loads look dead; the L2 corrects it for the kept lines.
  local alone = run(workload, loom.abyp {})
  local both = run(workload, loom.abyp {}, { l2 = loom.abyp_l2 {} })
  expect("abyp alone: a false bypass, no use hits (%d)", alone.hits == 0,
         alone.hits)
  expect("abyp with the L2: half of the uses hit (%d)",
         both.hits > kept * (rounds - 1) / 2, both.hits)
  expect("abyp with the L2: faster than both (%d, %d)",
         both.cycles < alone.cycles and both.cycles < lru.cycles,
         both.cycles, alone.cycles)
end

-- Set conflicts: a load wants 32 lines of a set of 4 ways, each once.
do
  local workload = loom.suite.micro_conflict {}
  local plain = run(workload)
  local mrpb = run(workload, loom.mrpb { reorder = false })
  local queues = run(workload, loom.mrpb { bypass_on_line = false })
  local none = run(workload, loom.no_l1 {})
  expect("without mrpb: most cycles are associativity stalls (%d of %d)",
         plain.line_fails > 0.9 * plain.cycles, plain.line_fails,
         plain.cycles)
  expect("mrpb: no associativity stall (%d)", mrpb.line_fails == 0,
         mrpb.line_fails)
  expect("mrpb: ten times as fast (%d, %d)",
         mrpb.cycles < plain.cycles / 10, mrpb.cycles, plain.cycles)
  expect("mrpb: 28 of 32 lines of a load go around (%d)",
         mrpb.bypasses >= 28 * 32 * 8, mrpb.bypasses)
  expect("mrpb's queues alone do not help here (%d)",
         queues.cycles > 0.9 * plain.cycles, queues.cycles)
  expect("no_l1: nothing is lost without an L1 (%d, %d)",
         none.cycles <= mrpb.cycles, none.cycles, mrpb.cycles)

  local rate = run(workload, loom.miss_rate_bypass { window_cycles = 2000 })
  local pemp = run(workload, loom.pemp { window_cycles = 2000 })
  local carb = run(workload, loom.carb { window_cycles = 2000 })
  expect("miss_rate_bypass: a tenth, but for the sample (%d)",
         rate.cycles - 2000 < plain.cycles / 10, rate.cycles)
  expect("pemp: half at most (%d)", pemp.cycles < plain.cycles / 2,
         pemp.cycles)
  expect("carb: half at most (%d)", carb.cycles < plain.cycles / 2,
         carb.cycles)
end

-- Contention between warps: 24 warps in turn, 8 lines each, 192 lines in
-- all, in a cache of 128.
do
  local workload = loom.suite.micro_contend { lines = 8, warps = 24 }
  local in_turn = { scheduler = loom.lrr {} }
  local plain = run(workload, nil, in_turn)
  local mrpb = run(workload, loom.mrpb { depth = 64, bypass_on_line = false },
                   in_turn)
  expect("without mrpb: more than half of the accesses miss (%d)",
         plain.misses > plain.l1d.accesses / 2, plain.misses)
  expect("mrpb's queues: less than half of the misses (%d)",
         mrpb.misses < plain.misses / 2, mrpb.misses)
  expect("mrpb's queues: less than 60 %% of the time (%d, %d)",
         mrpb.cycles < 0.6 * plain.cycles, mrpb.cycles, plain.cycles)
end

if failed > 0 then error(failed .. " effects are not there", 0) end
