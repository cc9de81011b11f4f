-- One small run, with an energy model or without.
local loom = require "warploom"

local with = loom.option { name = "model", default = "none",
                           choices = { "none", "fitted", "raw", "qv100" },
                           doc = "Which energy model" }
local mesh = loom.option { name = "network", default = "crossbar",
                           choices = { "crossbar", "mesh" },
                           doc = "Which network" }

local models = {
  fitted = function() return loom.energy { node = 45 } end,
  raw = function()
    return loom.energy { level = "raw", node = 36.5,
                         events = { ["cache.read"] = "60pJ",
                                    ["gpu.l2.leak_on"] = 1e-12 } }
  end,
  qv100 = function() return loom.energy { chip = "qv100" } end,
}

-- Two SMs and two slices on a mesh of 2 x 2.
local function on_a_mesh()
  local map = loom.linear_map { interleave = 256 }
  local sm = loom.sm {
    ldst = loom.ldst { sms = 2 },
    l1d = loom.cache { level = "l1", size_bytes = "16KiB", ways = 4 },
  }
  loom.link(sm, sm.ldst)
  loom.link(sm.ldst, sm.l1d)
  local gpu = loom.gpu {
    clock = "1GHz", sm = loom.list(2, sm),
    noc = loom.network { topology = "mesh", columns = 2, rows = 2, vcs = 2,
                         map = map, placement = { 0, 3, 1, 2 } },
    l2 = loom.list(2, loom.cache {
      level = "l2", size_bytes = "128KiB", ways = 8,
      write_policy = "write_back", map_channels = 2, map_slices = 1,
      map = map }),
    dram = loom.list(2, loom.dram { clock = "924MHz", channels = 2,
                                    slices_per_channel = 1, map = map }),
  }
  for i = 0, 1 do
    loom.link(gpu, gpu.sm[i])
    loom.link(gpu.sm[i].l1d.down, gpu.noc.up[i])
    loom.link(gpu.noc.down[i], gpu.l2[i].up)
    loom.link(gpu.l2[i].down, gpu.dram[i].up)
  end
  return gpu
end

local gpu = mesh == "mesh" and on_a_mesh() or
            loom.preset.gtx480 { sm_count = 2 }
gpu:each "sm[*].l1d":attach(loom.apcm {})
gpu:each "sm[*].l1d":attach(loom.loscache { phase_accesses = 4 })
gpu:each "l2[*]":attach(loom.loscache_l2 {})

local run = loom.run {
  machine = gpu, workload = loom.suite.atax { rows = 128, columns = 96 },
  stats = { file = "energy.h5",
            series = { bw = { every = "5us", select = with == "none" and
                              "gpu.dram.bytes" or
                              { "gpu.dram.bytes", "**.energy_*", "**.power" }
                            } } },
  energy = models[with] and models[with](),
}
if run.energy then
  print(("joules %.17g, watts %.17g"):format(run.energy, run.power))
  assert(run.energy_delay == run.energy * run.seconds)
end
