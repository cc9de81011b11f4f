-- The same kernel once more, with copies of other data and other kernels
-- between: what a first launch costs.  Run, or recorded for a card:
--   WARPLOOM_PATH=tests/silicon warploom --unsafe run -q
--     tests/silicon/again.lua
--   ... record -q --blind --card again.card tests/silicon/again.lua
local loom = require "warploom"

local preset = loom.option { name = "preset", default = "h200",
                             doc = "The machine" }

for _, n in ipairs { 16384, 32768, 131072 } do
  local run = loom.run { machine = loom.preset[preset] {}, memory = "64GiB",
    workload = loom.workload { name = "again n=" .. n, run = function(dev)
      dev:module "bench.ptx"
      local some = dev:array("f32", 4096):random(1, 0, 4, 1):string()
      local function upload(name)
        return dev:alloc({ type = "f32", count = n }, name):upload(
          some:rep(n // 4096))
      end
      local c = dev:alloc({ type = "f32", count = n }, "c")
      local a, b = upload "a", upload "b"
      local function add()
        dev:launch("vectoradd", { grid = n // 256, block = 256,
                                  args = { a, b, c, n } })
      end
      local function empty()
        dev:launch("emptykernel", { grid = 132, block = 128 })
      end
      add()
      add()
      upload "other"
      add()
      empty()
      empty()
      add()
    end } }
  for i, k in ipairs(run.kernels) do
    print(n, i, k.name, k.seconds and ("%.0f ns"):format(k.seconds * 1e9))
  end
end
