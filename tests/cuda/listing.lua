-- All that the warps of a recording do, launch by launch and CTA by CTA, as
-- `warploom disasm` prints each of these streams.
--   warploom --unsafe listing.lua RECORDING
local import = require "warploom.import"
local core = import "core"
local disasm = import "command/disasm"

local path = assert(arg[1], "usage: listing.lua RECORDING")
local recording = assert(core.recording(path))
for number, launch in ipairs(recording:launches()) do
  local ctas = launch.grid[1] * launch.grid[2] * launch.grid[3]
  for cta = 0, ctas - 1 do
    assert(disasm.run(path, nil, { launch = number - 1, cta = cta }))
  end
end
