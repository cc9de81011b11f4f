-- The runs of timeline.sh.
local loom = require "warploom"

local preset = loom.option { name = "preset", default = "tiny",
                             doc = "Machine" }
local bench = loom.option { name = "bench", default = "atax",
                            doc = "Benchmark" }
local times = loom.option { name = "times", default = 1, doc = "Runs" }
local own = loom.option { name = "own", default = "",
                          doc = "Timeline that the script asks for" }

for _ = 1, times do
  loom.run {
    machine = loom.preset[preset](preset == "tiny" and { sm_count = 2 } or {}),
    workload = loom.suite[bench] { size = "tiny" },
    timeline = own ~= "" and { file = own, to = 2000, sms = { 1 } } or nil,
  }
end
