-- Runs every workload of a suite at size tiny; a wrong result ends it.
local loom = require "warploom"

-- How many there are, so that none is forgotten here.
local expected = loom.option { name = "count", default = 0, min = 0,
                               doc = "Workloads of the suite; 0: any" }
local given = loom.option { name = "names", default = "",
                            doc = "Which workloads; empty: all" }

local names = given == "" and loom.suite.list() or {}
for name in given:gmatch "%S+" do names[#names + 1] = name end

local gpu = loom.preset.gtx480 { sm_count = 1 }
for _, name in ipairs(names) do
  local run = loom.run { machine = gpu,
                         workload = loom.suite[name] { size = "tiny" } }
  if run.status ~= "complete" then error(name, 0) end
end
if expected ~= 0 and #names ~= expected then
  error(("%d workloads are verified, but there are %d"):format(#names,
        expected), 0)
end
