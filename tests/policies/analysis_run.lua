-- A run with or without all analysis policies; analysis.sh compares the files.
local loom = require "warploom"

local watch = loom.option { name = "watch", default = false,
                            doc = "Attach them all" }
local gpu = loom.preset.gtx480 { sm_count = 2 }
if watch then
  for _, name in ipairs { "locality_analysis", "load_analysis",
                          "conflict_analysis", "warp_analysis" } do
    gpu:each "sm[*].l1d":attach(loom[name] {})
  end
  gpu:each "l2[*]":attach(loom.ideal_gating {})
end
loom.run {
  machine = gpu,
  workload = loom.suite.bfs { size = "tiny", nodes = 60 },
  stats = { snapshot = { "kernel_end" },
            series = { all = { every = "2us", select = "gpu.sm.l1d.*" } } },
}
