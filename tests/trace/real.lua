-- Traces of real programs, where they are: every one runs on the GTX 480,
-- timed and functionally, with as many warp instructions as its files state.
--
-- usage: warploom --unsafe real.lua DIRECTORY

local H = require "harness"
local core = H.import "core"

local root = arg[1]

-- Sums of the files' own "insts =" lines.
local expected = {
  { list = "vectoradd-sm61-v4", kernels = 1, warp_insts = 344, copies = 3,
    bytes = 1200 },
  { list = "matrixmul-sm61-v4", kernels = 1, warp_insts = 4416, copies = 2,
    bytes = 8192 },
  { list = "bfs-sm70-v3", kernels = 16, warp_insts = 154839, copies = 14,
    bytes = 159752 },
  { list = "vectoraddsub-sm75-v5-xz", kernels = 2, warp_insts = 983040,
    copies = 0, bytes = 0 },
  { list = "atax-sm90-v6", kernels = 1, warp_insts = 60, copies = 0,
    bytes = 0 },
}

if core.kind(root) == nil then
  print(("SKIPPED: there are no traces in %s"):format(tostring(root)))
  os.exit(77)
end

local script = [[
local loom = require "warploom"
local workload = loom.trace(%q)
local run = loom.run { machine = loom.preset.gtx480 {}, workload = workload }
assert(#workload.kernels == %d, "kernels")
assert(#workload.copies == %d, "copies")
assert(workload.copied_bytes == %d, "bytes copied")
]]

for _, row in ipairs(expected) do
  local text = script:format(("%s/%s/kernelslist.g"):format(root, row.list),
                             row.kernels, row.copies, row.bytes)
  for _, functional in ipairs { true, false } do
    local how = functional and " functionally" or " on a GTX 480"
    H.test(row.list .. how, function()
      local lines, warnings, status = H.run(text, { functional = functional })
      H.lines(lines, {})
      H.lines(warnings, {}) -- every opcode is known
      H.equal(status, 0, "status")
      local run = H.runs()[1]
      H.equal(run.status, "complete")
      H.equal(run.warp_insts, row.warp_insts, "warp instructions")
      H.equal(#run.kernels, row.kernels, "kernels")
      if not functional then
        H.equal(run.cycles > 0, true)
      end
    end)
  end
end

H.finish()
