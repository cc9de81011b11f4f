-- A workload on a small h100, timed as scheduled or as the text has it; prints
-- what memory holds at its end.  Runs with --unsafe.
local loom = require "warploom"

local kernel = loom.option { name = "kernel", default = "conv3d",
                             doc = "Which workload" }
local scheduled = loom.option { name = "scheduled", default = true,
                                doc = "Whether it is" }
local recording = loom.option { name = "recording", default = "",
                                doc = "Replay this" }

local workload = loom.suite[kernel] { size = "tiny" }

local function with_digest(dev)
  workload.run(dev, workload.values)
  print("memory " .. dev.memory:digest())
end

loom.run {
  machine = loom.preset.h100 { sm_count = 4, channel_count = 4,
                               scheduled = scheduled },
  workload = recording ~= "" and loom.replay(recording) or with_digest,
  stats = { file = "x.h5" },
}
