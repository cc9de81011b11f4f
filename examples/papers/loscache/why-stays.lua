-- Why do lines stay on, the more of them the longer a program runs?  Two things
-- are changed: an instruction whose block the L2 no longer has when it is asked
-- is predicted one access instead of nothing (`gone`); and data predicted once
-- takes a way, with its tag, as the replacement chooses, instead of none, or of
-- gated ones first (`replaced`), so that what is on in vain is replaced.
-- --set larger=false has the inputs of size small, of which less stays on.
local loom = require "warploom"
local common = require "common"

local larger = loom.option { name = "larger", default = true,
                             doc = "Inputs between small and paper" }
local tag = { once = "tag", reuse_gated = false }

return common.experiment {
  name = "loscache_why_stays",
  doc = "Lines that stay on, by whether their data has a prediction",
  benches = { "scalarprod", "conv2d", "stencil3d" },
  inputs = larger and {
    scalarprod = { pairs = 256, length = 4096 },
    conv2d = { rows = 2048, columns = 2048 },
    stencil3d = { nx = 512, ny = 256 },
  } or {},
  schemes = { "baseline", "loscache", "gone", "replaced", "both" },
  extra = {
    gone = { l1d = loom.loscache { gone = "once" }, l2 = loom.loscache_l2 {} },
    replaced = { l1d = loom.loscache {}, l2 = loom.loscache_l2(tag) },
    both = { l1d = loom.loscache { gone = "once" },
             l2 = loom.loscache_l2(tag) },
  },
  metrics = common.take("cycles", "on", "unpredicted", "late", "gone",
                        "predicted", "accuracy", "l2_energy"),
  derive = { energy = common.relative "l2_energy" },
  figures = { { column = "on", by = "bench" },
              { column = "unpredicted", by = "bench" } },
}
