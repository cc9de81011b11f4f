-- tiny: the smallest complete machine, for tests and first steps.

local loom = require "warploom"

local function build(p)
  local sm = loom.sm {
    ldst = loom.ldst {},
    l1d = loom.cache { size_bytes = "4KiB", ways = 2, level = "l1" },
  }
  loom.link(sm, sm.ldst)
  loom.link(sm.ldst, sm.l1d)

  local gpu = loom.gpu {
    clock = "1GHz",
    sm = loom.list(p.sm_count, sm),
    xbar = loom.crossbar { slices_per_channel = 1 },
    l2 = loom.cache { size_bytes = "32KiB", ways = 4, level = "l2",
                      write_policy = "write_back" },
    dram = loom.dram { channels = 1, slices_per_channel = 1 },
  }
  for i = 0, p.sm_count - 1 do
    loom.link(gpu, gpu.sm[i])
    loom.link(gpu.sm[i].l1d, gpu.xbar)
  end
  loom.link(gpu.xbar, gpu.l2)
  loom.link(gpu.l2, gpu.dram)
  return gpu
end

return {
  name = "tiny",
  doc = "Two SMs, one L2, one DRAM channel: for tests and first steps",
  params = {
    { name = "sm_count", default = 2, min = 1, max = 16, doc = "SMs" },
  },
  build = build,
}
