-- Six points, of which those of one benchmark fail; `seed` of the script's
-- option makes others.
local loom = require "warploom"

local count = loom.option { name = "count", default = 3, min = 1,
                            doc = "How many sizes" }
local sizes = {}
for i = 1, count do sizes[i] = 256 * i end

return loom.experiment {
  name = "failing",
  axes = { what = { "good", "bad" }, n = sizes },
  filter = function(p) return p.what == "good" or p.n <= 512 end,
  base = function(p)
    local workload = loom.suite.vectoradd { n = p.n }
    if p.what == "bad" then
      workload = loom.workload { name = "bad", run = function()
        error("this one does not work")
      end }
    end
    return { machine = loom.preset.tiny {}, workload = workload }
  end,
}
