-- One run for each part that has a ratio or a rate, with a series of all its
-- statistics: what ratios.py looks at.  Prints every ratio of the catalogue as
-- "part statistic", then the files.
--
--   warploom --unsafe ratio_runs.lua FOLDER

local loom = require "warploom"
local H = require "harness"
local core = H.import "core"
local types = H.import "machine/types"

local folder = assert(arg[1], "usage: ratio_runs.lua FOLDER")

-- Parts of their own kind of machine; all others are policies of an L1 or an
-- SM.
local own, wanted = {}, {}

function own.mem_source()
  return [[
local d = loom.dram { clock = "924MHz", channels = 1, slices_per_channel = 1 }
d.map = loom.linear_map { banks = d.banks }
local m = loom.mem_source { clock = "924MHz", banks = d.banks }
m.dram = d
loom.link(m.down, m.dram.up[0], { request = { latency = 1, capacity = 4 },
                                  reply = { latency = 1, capacity = 64 } })
local workload -- it runs by itself
]]
end

function own.locality()
  return [[
local m = loom.locality { sms = 2, l1 = loom.cache {
  size_bytes = "2KiB", ways = 4, replacement = loom.lru {} } }
local workload = loom.suite.bfs { size = "tiny" }
]]
end

local function machine(type)
  if own[type.name] then return own[type.name]() end
  local made = ("loom.%s {}"):format(type.name)
  local place = ""
  if type.kind == "policy" then
    local hook = type.facets[1].hook
    local at = hook == "transform" and "" or
               (hook:find "issue" or hook:find "warp" or
                hook:find "sm_") and "sm[*]" or "sm[*].l1d"
    if type.name:find "_l2$" then at = "l2" end
    place = at == "" and "" or ('m:each "%s":attach(%s)'):format(at, made)
  end
  return ([[
local m = loom.preset.tiny { sm = { l1d = { size_bytes = "16KiB", ways = 4 } } }
%s
local workload = loom.suite.atax { rows = 128, columns = 32 }
]]):format(place)
end

local function has_ratio(type)
  local any = false
  for _, stat in ipairs(type.stats) do
    if stat.kind == "ratio" or stat.kind == "rate" then
      wanted[#wanted + 1] = type.name .. " " .. stat.name
      any = true
    end
  end
  return any
end

local files, seen = {}, {}
for _, list in ipairs { types.component_list, types.policy_list } do
  for _, type in ipairs(list) do
    local text = has_ratio(type) and machine(type)
    if text and not seen[text] then
      seen[text] = true
      local file = ("%s/%s.h5"):format(folder, type.name)
      local lines, _, status = H.run(([[
local loom = require "warploom"
%s
loom.run { machine = m, workload = workload,
           stats = { file = %q, snapshot = { "kernel_end" },
                     series = %s } }
]]):format(text, file, text:find "loom.locality " and "nil" or
           '{ all = { every = "2us", select = "**" } }'), { mode = "run" })
      if #lines > 0 or status ~= 0 then
        error(("%s: status %s\n%s\n%s"):format(type.name, status,
              table.concat(lines, "\n"), text), 0)
      end
      assert(core.kind(file) == "file", file)
      files[#files + 1] = file
    end
  end
end
assert(#wanted > 20, "the catalogue has ratios")
for _, name in ipairs(wanted) do print("ratio " .. name) end
for _, file in ipairs(files) do print("file " .. file) end
