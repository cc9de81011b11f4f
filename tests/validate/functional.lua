-- Every calibration program gives the checksums that GPGPU-Sim gave.
--
--   warploom run --functional tests/validate/functional.lua --set root=.
--       [--set folder=FOLDER] [--set programs=a,b]
--
-- `folder` has other programs than the repository's (see reference.lua), and
-- then `programs` are their names.
local loom = require "warploom"
local reference = require "reference"

local root = loom.option { name = "root", default = ".",
                           doc = "The source tree" }
local folder = loom.option { name = "folder", default = "",
                             doc = "Where other programs are" }
local list = loom.option { name = "programs", default = "",
                           doc = "Some of the programs, with commas" }

local names = reference.names(list, folder == "" and reference.programs)
assert(names, "'folder' needs 'programs', the names in it")
for _, name in ipairs(names) do
  loom.run { machine = loom.preset.gtx480 {}, guard = 0,
             workload = reference.workload(root, folder, name) }
end
