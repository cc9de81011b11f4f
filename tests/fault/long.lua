-- Many snapshots and a series, written anew as often as possible.
local loom = require "warploom"

loom.run {
  machine = loom.preset.tiny {},
  workload = function(dev)
    local n = 1024
    local module = dev:module "suite/vectoradd/vectoradd.ptx"
    local a = dev:upload(dev:array("f32", n), "a")
    for _ = 1, 300 do
      dev:launch(module.vectoradd, { grid = n // 128, block = 128,
                                     args = { a, a, a, n } })
    end
  end,
  stats = { file = "x.h5", flush = "1ms",
            series = { all = { every = "100ns", select = "**.dram.*" } } },
}
