-- Every policy of rivals.lua against the one in C: all counters of all
-- components, exactly, of two programs.

local loom = require "warploom"
local types = require "warploom.import" "machine/types"
local rivals = require "rivals"

-- Where each is put.
local places = {
  lru = { "sm[*].l1d", "replacement" }, fifo = { "sm[*].l1d", "replacement" },
  gto = { "sm[*]", "scheduler" }, lrr = { "sm[*]", "scheduler" },
  linear_index = { "sm[*].l1d", "set_index" },
  round_robin = { ".", "dispatch" },
  sector_coalesce = { "sm[*].ldst", "coalesce" },
  fifo_order = { "sm[*].ldst", "order" },
  direct_route = { "noc", "routing" },
  round_robin_arbiter = { "noc", "request_arbiter" },
  fcfs = { "dram[*]", "schedule" }, closed_page = { "dram[*]", "page" },
  miss_rate_bypass = { "sm[*].l1d", "" }, pcal = { "sm[*].l1d", "" },
  ccws = { "sm[*].l1d", "" },
  linear_map = { "noc", "map", "l2[*]", "map", "dram[*]", "map" },
}

local function run_with(name, policy, workload)
  local gpu = loom.preset.gtx480 { sm_count = 2 }
  local place = places[name]
  for i = 1, #place, 2 do
    local at = place[i] == "." and gpu or gpu:each(place[i])
    if place[i + 1] == "" then
      at:attach(policy) -- several facets
    else
      at:set { [place[i + 1]] = policy }
    end
  end
  return loom.run { machine = gpu, workload = workload }
end

-- Adds "gpu/sm/l1d.hits" = value, or several for an axis.
local function flatten(into, key, value)
  if type(value) == "table" or type(value) == "userdata" then
    for k, v in pairs(value) do flatten(into, key .. "." .. tostring(k), v) end
  else
    into[key] = value
  end
end

-- The statistics that a policy in Lua declares have the names of the C one's.
local function own(all, run, name)
  for _, group in ipairs(run.catalog:groups()) do
    if group.type == name or group.type == "lua_" .. name then
      local type = types.policies[name]
      local stats = run.stats(group.group)
      for _, stat in ipairs(type.stats) do
        flatten(all, "policy." .. stat.name, stats[stat.name])
      end
    end
  end
end

local function counters(run, name)
  local all, count = {}, 0
  for _, group in ipairs(run.catalog:groups()) do
    local type = types.components[group.type]
    local stats = run.stats(group.group)
    for _, stat in ipairs(type and type.stats or {}) do
      flatten(all, group.group .. "." .. stat.name, stats[stat.name])
    end
  end
  own(all, run, name)
  for _ in pairs(all) do count = count + 1 end
  return all, count
end

-- Policies that must have acted in atax: a counter of theirs.
local acts = { miss_rate_bypass = "bypasses", ccws = "holds",
               pcal = "passes" }
-- Parameters of the C one that are not its defaults.
local with = { pcal = { tokens = 2, fetch_bytes = 128 } }

local only = loom.option { name = "only", default = "" }
local wrong, names = {}, {}
for name in pairs(rivals) do names[#names + 1] = name end
for _, name in ipairs(names) do
  if only == "" or only == name then
    local mine = rivals[name]()
    -- Enough for decisions and lost locality where there are such.
    local rows = acts[name] and 512 or 64
    for _, w in ipairs { loom.suite.atax { rows = rows, columns = 40 },
                         loom.suite.bfs { nodes = 300, degree = 3 } } do
      local a, number = counters(run_with(name, loom[name](with[name] or {}),
                                          w), name)
      local b, other = counters(run_with(name, mine, w), name)
      assert(number == other and number > 200, "too few counters")
      assert(not acts[name] or w.name ~= "atax" or
             a["policy." .. acts[name]] > 0, name .. " did nothing")
      local different = {}
      for key, value in pairs(a) do
        local same = b[key] == value or b[key] ~= b[key] and value ~= value
        if not same then
          different[#different + 1] = ("%s: C %s, Lua %s"):format(key,
            tostring(value), tostring(b[key]))
        end
      end
      print(("%-20s %-6s %d counters, %d differ"):format(name, w.name, number,
                                                         #different))
      for i = 1, math.min(#different, 5) do
        wrong[#wrong + 1] = name .. " " .. different[i]
      end
    end
  end
end
if #wrong > 0 then error("\n" .. table.concat(wrong, "\n"), 0) end
