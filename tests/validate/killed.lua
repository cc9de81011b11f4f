-- A run with many snapshots and a series, written as often as possible.
local loom = require "warploom"

local rounds = loom.option { name = "rounds", default = 1000000,
                             doc = "Launches" }

loom.run {
  machine = loom.preset.gtx480 { sm_count = 2 },
  workload = function(dev)
    local n = 4096
    local module = dev:module "suite/vectoradd/vectoradd.ptx"
    local a = dev:upload(dev:array("f32", n), "a")
    for _ = 1, rounds do
      dev:launch(module.vectoradd, { grid = n // 128, block = 128,
                                     args = { a, a, a, n } })
    end
  end,
  stats = { file = "x.h5", flush = "1ms",
            series = { all = { every = "1us", select = "**.dram.*" } } },
}
