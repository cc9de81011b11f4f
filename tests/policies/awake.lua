-- Wake-ups are honoured: every scheduler and every throttle gives the same run,
-- every statistic of it, on an SM that sleeps and on one that never does, and
-- every program ends although some warps are held back.
--
-- Whoever adds a policy is covered by having added it.
local loom = require "warploom"
local import = require "warploom.import"
local types = import "machine/types"

local workloads = {
  { "atax", loom.suite.atax { rows = 192, columns = 32 } },
  { "reduction", loom.suite.reduction { n = 8192, ctas = 12 } },
  { "partial", loom.suite.micro_partial { words = 32, warps = 4 } },
}

local names, seen = {}, { awake = true }
for _, hook in ipairs { "scheduler", "throttle" } do
  for _, name in ipairs(types.answering(hook)) do
    if not seen[name] and not name:find "^stub" then
      names[#names + 1] = name
    end
    seen[name] = true
  end
end

-- Beside the defaults: tight limits, and what the defaults leave out.
local variants = {
  swl = { { warps = 1 }, { warps = 3, waiting = "lift", greedy = false },
          { warps = 2, scope = "scheduler" } },
  pcal = { { warps = 3, tokens = 1 } },
  cta_limit = { { ctas = 1 } },
  ccws = { { base_score = 10, factor = 64 } },
  daws = { { percent = 10, history = 0 } },
  two_level_scheduler = { { active_warps = 2, inner = "gto" } },
}

-- The second machine has units that are busy for long: a warp that may issue
-- waits for one while others, which may not, have theirs.
local machines = {
  {}, { sm = { sp_units = 1, int_add_interval = 16, move_interval = 9,
               int_mad_interval = 30, schedulers = 3 } },
}

local function run(workload, policy, awake, machine)
  local gpu = loom.preset.tiny { sm_count = 2, sm = machine.sm }
  gpu:each "sm[*].l1d":attach(policy)
  gpu:each "sm[*]":attach(loom.awake { on = awake })
  return loom.run { machine = gpu, workload = workload }
end

local runs, held, different = 0, 0, 0
for _, name in ipairs(names) do
  local list = { {} }
  table.move(variants[name] or {}, 1, #(variants[name] or {}), 2, list)
  for i, params in ipairs(list) do
    for _, w in ipairs(workloads) do
      for k, machine in ipairs(machines) do
        local asleep = run(w[2], loom[name](params), false, machine)
        local awake = run(w[2], loom[name](params), true, machine)
        runs = runs + 2
        held = held + asleep.stats "gpu/sm".issue_slots.throttled
        if asleep.digest ~= awake.digest then
          print(("%s %d, %s, machine %d: %d cycles asleep, %d awake"):format(
            name, i, w[1], k, asleep.cycles, awake.cycles))
          different = different + 1
        end
      end
    end
  end
end
print(("%d policies, %d runs; slots held back: %d"):format(#names, runs, held))
assert(#names >= 11 and held > 0)
if different > 0 then error(different .. " runs depend on sleeping") end
