-- What the examples of this folder share: small machines that a policy is put
-- on, and aligned tables of what came of it.
local loom = require "warploom"

local common = {}

-- Prints the heads of a table whose rows are of the format; returns what prints
-- a row.  A column whose format is left-aligned has its head to the left.
function common.table(format, ...)
  local heads, column = { ... }, 0
  print((format:gsub("%S+", function(cell)
    column = column + 1
    local width = #cell:format(0)
    local left = cell:find "^%%%-" and "-" or ""
    return ("%" .. left .. width .. "s"):format(heads[column])
  end)))
  return function(...) print(format:format(...)) end
end

-- Runs a workload on a machine to which the policies are attached: pairs of
-- a pattern and a policy, either of which may be nil.
local function run_with(machine, workload, where, policy, also_where, also)
  if policy then machine:each(where):attach(policy) end
  if also then machine:each(also_where):attach(also) end
  return loom.run { machine = machine, workload = workload }
end

-- One SM with a 16 KiB L1 of 4 ways and a plain set index.
local function small_l1(l1d)
  l1d.set_index = loom.linear_index {}
  return loom.preset.gtx480 { sm_count = 1, sm = { l1d = l1d } }
end

-- Policies of the L1 which send loads around it: rows of a name, a policy of
-- the L1 and one of the L2.
function common.bypasses(workload, rows)
  local print_row = common.table("%-22s %9d %9d %9d %9d", "policy", "cycles",
                                 "hits", "misses", "bypasses")
  for _, row in ipairs(rows) do
    local run = run_with(small_l1 { ways = 4 }, workload,
                         "sm[*].l1d", row[2], "l2[*]", row[3])
    local l1d = run.stats "gpu/sm/l1d"
    print_row(row[1], run.cycles, l1d.hits + l1d.pending_hits, l1d.misses,
              l1d.bypasses)
  end
end

-- The same for loads of each kind of micro_locality, on the machine of APCM.
function common.kinds_of_loads(warps, kinds, width, rows)
  local print_row = common.table("%-" .. width .. "s %-8s %9d %9d %9d %9d",
                                 "policy", "loads", "cycles", "hits", "misses",
                                 "bypasses")
  for _, kind in ipairs(kinds) do
    local workload = loom.suite.micro_locality {
      kind = kind, warps = warps, ctas = 4, rounds = 20 }
    for _, row in ipairs(rows) do
      local run = run_with(loom.preset.apcm1 { sm_count = 1 }, workload,
                           "sm[*].l1d", row[2])
      local l1d = run.stats "gpu/sm/l1d"
      print_row(row[1], kind, run.cycles, l1d.hits + l1d.pending_hits,
                l1d.misses, l1d.bypasses)
    end
  end
end

-- Replacement policies of a small L1, by their names; the last one's run.
function common.replacements(workload, names)
  local print_row = common.table("%-20s %9d %9d %9d", "replacement", "cycles",
                                 "hits", "misses")
  local run
  for _, name in ipairs(names) do
    run = loom.run { machine = small_l1 { replacement = loom[name] {} },
                     workload = workload }
    local l1d = run.stats "gpu/sm/l1d"
    print_row(name, run.cycles, l1d.hits, l1d.misses)
  end
  return run
end

-- The same, of which the last is the one in which sets duel for two of them.
function common.duel(workload, names, one, other)
  local run = common.replacements(workload, names)
  local duel = run.stats("gpu/sm/l1d/policy/" .. names[#names])
  print(("  PSEL %d; misses of leader sets: %s %d, %s %d"):format(duel.psel,
    one, duel.leader_misses[one], other, duel.leader_misses[other]))
end

-- Without time: all see the same accesses, and min is the best there can be.
function common.hits_without_time(...)
  local names, caches = { ... }, { sms = 4 }
  for _, name in ipairs(names) do
    caches[name] = loom.cache { size_bytes = "2KiB", ways = 4,
                                set_index = loom.ipoly_index {},
                                replacement = loom[name] {} }
  end
  local print_row = common.table("%-12s" .. (" %19.1f"):rep(#names), "hits %",
                                 ...)
  for _, program in ipairs { "atax", "bfs", "kmeans", "mvt" } do
    local run = loom.run { machine = loom.locality(caches),
                           workload = loom.suite[program] { size = "tiny" } }
    local hits = {}
    for i, name in ipairs(names) do
      hits[i] = 100 * run.caches[name].hits / run.caches[name].accesses
    end
    print_row(program, table.unpack(hits))
  end
end

-- Policies which hold warps back: rows of a name and a policy, which is
-- attached to the SM or, as the pattern says, its L1.
function common.throttles(workload, where, rows)
  local print_row = common.table("%-18s %9d %9.3f %10d", "technique", "cycles",
                                 "L1 miss", "throttled")
  for _, row in ipairs(rows) do
    local run = run_with(loom.preset.gtx480 { sm_count = 1 }, workload, where,
                         row[2])
    print_row(row[1], run.cycles, run.stats "gpu/sm/l1d".miss_ratio,
              run.stats "gpu/sm".issue_slots.throttled)
  end
end

-- Warp schedulers side by side, by their names.
function common.schedulers(...)
  local print_row = common.table("%-18s %9d %9.3f", "scheduler", "cycles",
                                 "L1 miss")
  for _, name in ipairs { ... } do
    local run = run_with(loom.preset.gtx480 { sm_count = 2 },
                         loom.suite.atax { rows = 512, columns = 64 },
                         "sm[*]", loom[name] {})
    print_row(name, run.cycles, run.stats "gpu/sm/l1d".miss_ratio)
  end
end

return common
