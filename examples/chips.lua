-- GPUs of several chips, for four_chiplets.lua and two_gpus.lua: each chip has
-- SMs, a crossbar, L2 slices and their memory; a network joins the crossbars.
-- All slices have one address map.

local loom = require "warploom"

local M = {}

local function sm(sms)
  local one = loom.sm {
    ldst = loom.ldst { sms = sms },
    l1d = loom.cache { level = "l1", size_bytes = "32KiB", ways = 4 },
  }
  loom.link(one, one.ldst)
  loom.link(one.ldst, one.l1d)
  return one
end

-- Where a chip's crossbar finds each slice: behind its own links, or behind the
-- last one, which leads to the others.
local function links_of(chip, slices, each)
  local list = {}
  for s = 0, slices - 1 do
    list[s + 1] = s // each == chip and s % each or each
  end
  return list
end

-- A GPU of `chips` chips with `sms` SMs and `slices` L2 slices each, like `l2`;
-- `between` joins them and is called `name`; `map` is the address map.
function M.gpu(p)
  local sms, slices = p.chips * p.sms, p.chips * p.slices
  local l2 = { level = "l2", write_policy = "write_back", map = p.map,
               map_channels = slices, map_slices = 1 }
  for key, value in pairs(p.l2) do l2[key] = value end
  local gpu = loom.gpu {
    clock = "1GHz",
    sm = loom.list(sms, sm(sms)),
    xbar = loom.list(p.chips, loom.network {
      topology = "crossbar", radix = p.sms + p.slices + 2, vcs = 2,
      routing_delay = 0, map = p.map }),
    [p.name] = p.between,
    l2 = loom.list(slices, loom.cache(l2)),
    dram = loom.list(slices, loom.dram {
      clock = "1.2GHz", channels = slices, slices_per_channel = 1,
      map = p.map }),
  }
  for i = 0, sms - 1 do
    loom.link(gpu, gpu.sm[i])
    loom.link(gpu.sm[i].l1d.down, gpu.xbar[i // p.sms].up[i % p.sms])
  end
  local chip_of = {}
  for i = 0, slices - 1 do
    chip_of[i + 1] = i // p.slices
    loom.link(gpu.xbar[i // p.slices].down[i % p.slices], gpu.l2[i].up)
    loom.link(gpu.l2[i].down, gpu.dram[i].up)
  end
  local between = gpu[p.name]
  between.slices = chip_of
  for chip = 0, p.chips - 1 do
    local wire = { request = { capacity = 16 }, reply = { capacity = 16 } }
    gpu.xbar[chip].slices = links_of(chip, slices, p.slices)
    loom.link(gpu.xbar[chip].down[p.slices], between.up[chip], wire)
    loom.link(between.down[chip], gpu.xbar[chip].up[p.sms], wire)
  end
  return gpu
end

-- The run that the command line asks for: its benchmark, the run.
function M.run(gpu)
  local workload = loom.option { name = "workload", default = "atax",
                                 doc = "Benchmark of the suite" }
  local size = loom.option { name = "size", default = "tiny",
                             doc = "Its size" }
  return workload, loom.run {
    machine = gpu, workload = loom.suite[workload] { size = size } }
end

return M
