-- Takes memory until there is none.
local loom = require "warploom"

local case = loom.option { name = "case", default = "after",
  choices = { "after", "inside", "device", "text" }, doc = "Where" }

local function take()
  local kept = {}
  for i = 1, 1e9 do kept[i] = { i } end
end

local function machine() return loom.preset.gtx480 { sm_count = 2 } end
local atax = loom.suite.atax { rows = 32, columns = 32 }

if case == "after" then
  loom.run { machine = machine(), workload = atax,
             stats = { file = "kept.h5" } }
  take()
elseif case == "inside" then
  loom.run { machine = machine(), stats = { file = "kept.h5" },
             workload = function(dev)
    atax.run(dev, atax.values)
    take()
  end }
elseif case == "device" then
  loom.run { machine = machine(), workload = function(dev)
    for i = 1, 200 do dev:alloc("64MiB", "buffer " .. i) end
  end }
else
  local text = ("x"):rep(1 << 24)
  local kept = {}
  for i = 1, 1000 do kept[i] = text:rep(2) .. i end
end
