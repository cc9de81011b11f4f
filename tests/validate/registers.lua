-- Registers per thread, ours by liveness beside ptxas's, of every kernel of
-- the calibration programs.  Occupancy depends on them.
--   warploom run --functional tests/validate/registers.lua --set root=.
local loom = require "warploom"
local json = require "json"
local reference = require "reference"

local root = loom.option { name = "root", default = ".",
                           doc = "The source tree" }
local limit = loom.option { name = "limit", default = 20.0,
                            doc = "Fails if the mean difference in % is above" }

local ours, theirs, order = {}, {}, {}
for _, name in ipairs(reference.programs) do
  local file = assert(io.open(("%s/tests/validate/reference/%s.json")
                              :format(root, name)))
  local program = json.parse(file:read("a"))
  file:close()
  for kernel, facts in pairs(program.kernels) do
    theirs[kernel] = facts.registers_per_thread
    order[#order + 1] = kernel
  end
  loom.run { machine = loom.preset.tiny {}, workload = loom.workload {
    name = name,
    run = function(dev)
      local module = dev:module(("%s/tests/data/ptx/%s.ptx")
                                :format(root, name))
      for kernel in pairs(program.kernels) do
        ours[kernel] = module[kernel].info.registers
      end
    end,
  } }
end

table.sort(order)
print(("%-20s %6s %6s %8s"):format("kernel", "ours", "ptxas", "differ"))
local sum, signed = 0, 0
for _, kernel in ipairs(order) do
  local differ = 100 * (ours[kernel] / theirs[kernel] - 1)
  sum, signed = sum + math.abs(differ), signed + differ
  print(("%-20s %6d %6d %+7.1f%%"):format(kernel, ours[kernel],
                                           theirs[kernel], differ))
end
print(("%d kernels: mean difference %.1f %%, bias %+.1f %%"):format(
      #order, sum / #order, signed / #order))
assert(sum / #order <= limit, "registers differ too much from ptxas's")
