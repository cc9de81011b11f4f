-- Every calibration program gives the checksums that GPGPU-Sim gave.
--   warploom run --functional tests/validate/functional.lua --set root=.
local loom = require "warploom"
local reference = require "reference"

local root = loom.option { name = "root", default = ".",
                           doc = "The source tree" }
for _, name in ipairs(reference.programs) do
  loom.run { machine = loom.preset.gtx480 {}, guard = 0,
             workload = reference.workload(root, name) }
end
