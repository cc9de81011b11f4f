-- A results file for each policy, and some with tables by load: loads.py reads
-- them back.  `what`: the folder of the former, or a file of the latter.
local loom = require "warploom"
local import = require "warploom.import"
local types = import "machine/types"
local policy_places = dofile(arg[1] .. "/tests/lua/policy_places.lua")

local what = loom.option { name = "what", default = "axes",
                           choices = { "axes", "loads" }, doc = "which runs" }
local elsewhere = { direct_route = true, minimal_route = true, min = true,
                    partition_route = true, command_log = true }
local before = { dramsim3_queues = "m.dram.write_entries = 32",
                 ramulator_frfcfs = "m.dram.write_entries = 32" }

local function machine(preset)
  local m = loom.preset[preset] { sm_count = 2 }
  if preset == "tiny" then
    m.driver = loom.host {}
    loom.link(m.driver, m)
  end
  return m
end

local function with(type)
  local part, slot = policy_places.of(type)
  if not part or elsewhere[type.name] then return end
  local m = machine(type.name == "fermi_index" and "gtx480" or "tiny")
  local text = ("local m, loom = ... %s %s:attach(loom.%s {}%s)"):format(
    before[type.name] or "", part, type.name,
    slot and (', "%s"'):format(slot) or "")
  load(text)(m, loom)
  return m
end

if what == "axes" then
  for _, type in ipairs(types.policy_list) do
    local m = with(type)
    if m then
      loom.run { machine = m, stats = { file = type.name .. ".h5" },
                 workload = loom.suite.vectoradd { n = 256 } }
    end
  end
  for _, preset in ipairs { "gtx480", "qv100" } do
    loom.run { machine = machine(preset), stats = { file = preset .. ".h5" },
               workload = loom.suite.vectoradd { n = 256 } }
  end
  return
end

-- All policies with tables by load, on several SMs; the analyses at an L2, too.
for _, first in ipairs { "apcm", "dacache", "two_level" } do
  local m = loom.preset.gtx480 { sm_count = 3 }
  m:each "sm[*].l1d":attach(loom[first] {})
  for _, name in ipairs { "load_analysis", "conflict_analysis",
                          "locality_analysis" } do
    m:each "sm[*].l1d":attach(loom[name] {})
  end
  for _, name in ipairs { "conflict_analysis", "locality_analysis" } do
    m:each "l2[*]":attach(loom[name] {})
  end
  loom.run { machine = m, stats = { file = first .. "_loads.h5" },
             workload = loom.suite.bfs { size = "tiny" } }
end
