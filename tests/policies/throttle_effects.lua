-- Each throttle on a program made for it: the effect for which it was
-- invented, with a bound.  One SM of a GTX 480, whose L1 has 128 lines, and 48
-- warps under gto.
local loom = require "warploom"

local failed = 0

local function expect(what, ok, ...)
  print(("%-66s %s"):format(what:format(...), ok and "yes" or "NO"))
  if not ok then failed = failed + 1 end
end

local function run(workload, policy)
  local gpu = loom.preset.gtx480 { sm_count = 1 }
  if policy then gpu:each "sm[*].l1d":attach(policy) end
  local done = loom.run { machine = gpu, workload = workload }
  local l1d = done.stats "gpu/sm/l1d"
  return { cycles = done.cycles, miss = l1d.miss_ratio, l1d = l1d,
           stats = done.stats }
end

-- Lost locality.  A warp's load touches 32 lines, which its next 31 loads use
-- again: 4 warps fill the L1, and of their accesses one in 32 has to miss.
do
  local workload = loom.suite.micro_lost_locality { words = 32 }
  local all = run(workload)
  local four = run(workload, loom.swl { warps = 4 })
  local each = run(workload, loom.swl { warps = 2, scope = "scheduler" })
  local eight = run(workload, loom.swl { warps = 8 })
  local ccws = run(workload, loom.ccws {})
  local daws = run(workload, loom.daws {})
  local tags = ccws.stats "gpu/sm/policy/ccws"

  expect("48 warps lose their lines: %.3f miss", all.miss > 0.95, all.miss)
  expect("swl 4: %.3f miss, at least 1/32 have to", four.miss < 0.06 and
         four.miss > 0.031, four.miss)
  expect("swl 4: %.2f of the time", four.cycles < 0.4 * all.cycles,
         four.cycles / all.cycles)
  expect("swl 2 of each scheduler: the same, %.3f miss", each.miss < 0.06,
         each.miss)
  expect("swl 8 is too many: %.3f miss", eight.miss > 0.95, eight.miss)
  expect("ccws sees it: %d events", tags.events > 1000, tags.events)
  expect("ccws recovers nine in ten: %.3f miss", ccws.miss < 0.2, ccws.miss)
  expect("ccws: %.2f of the time", ccws.cycles < 0.75 * all.cycles,
         ccws.cycles / all.cycles)
  expect("daws keeps footprints in the L1: %.3f miss", daws.miss < 0.1,
         daws.miss)
  expect("daws: %.2f of the time", daws.cycles < 0.55 * all.cycles,
         daws.cycles / all.cycles)
  expect("daws: at most %d of 128 lines",
         daws.stats "gpu/sm/policy/daws".most_footprint <= 76,
         daws.stats "gpu/sm/policy/daws".most_footprint)
end

-- The same in CTAs of 4 warps: one of them fills the L1.
do
  local workload = loom.suite.micro_lost_locality { words = 32, warps = 4,
                                                    ctas = 8 }
  local all = run(workload)
  local one = run(workload, loom.cta_limit { ctas = 1 })
  expect("cta_limit 1: %.2f of the time", one.cycles < 0.4 * all.cycles,
         one.cycles / all.cycles)
end

-- Nothing is lost where everything fits: the dynamic ones stay out of the way.
do
  local workload = loom.suite.micro_lost_locality { words = 32, warps = 4,
                                                    ctas = 1 }
  local all, ccws = run(workload), run(workload, loom.ccws {})
  expect("ccws, no loss: %d cycles limited, the same time",
         ccws.cycles == all.cycles and
         ccws.stats "gpu/sm/policy/ccws".limited_cycles == 0,
         ccws.stats "gpu/sm/policy/ccws".limited_cycles)
end

-- Partial throttling.  With a stream between the loads few warps cannot keep
-- the memory busy: however many warps swl lets through, pcal is faster, which
-- lets all run and a few keep their lines.
do
  local workload = loom.suite.micro_partial { words = 16 }
  local function best(make, list)
    local cycles, at = math.huge, nil
    for _, n in ipairs(list) do
      local c = run(workload, make(n)).cycles
      if c < cycles then cycles, at = c, n end
    end
    return cycles, at
  end
  local swl, warps = best(function(n) return loom.swl { warps = n } end,
                          { 2, 4, 8, 16, 24, 32, 40, 48 })
  local pcal, tokens = best(function(n) return loom.pcal { tokens = n } end,
                            { 1, 2, 4, 8 })
  expect("best pcal (%d tokens) takes %.2f of best swl (%d warps)",
         pcal < 0.8 * swl, tokens, pcal / swl, warps)
end

if failed > 0 then error(failed .. " effects are not there") end
