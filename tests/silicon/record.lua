-- Writes what is measured on a card:
--   warploom --unsafe record --card FILE tests/silicon/record.lua --set set=..
-- The kernels of `cases` and `micro` are not compared with results here, so
-- --blind will do; those of the suite are.
local loom = require "warploom"

local set = loom.option { name = "set", default = "cases",
                          choices = { "cases", "micro", "suite" },
                          doc = "Of what" }
local only = loom.option { name = "only", default = "",
                           doc = "A pattern of their names" }

local workloads = {}
if set == "suite" then
  for _, name in ipairs(loom.suite.list {}) do
    if name:find(only) then
      workloads[#workloads + 1] = loom.suite[name] { size = "small" }
    end
  end
else
  local list = require(set)
  for _, case in ipairs(list.list(loom, only)) do
    workloads[#workloads + 1] = list.workload(loom, case)
  end
end
for _, workload in ipairs(workloads) do
  loom.run { machine = loom.preset.tiny {}, memory = "64GiB",
             workload = workload }
end
