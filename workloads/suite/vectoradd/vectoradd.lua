-- vectoradd: c = a + b.

local loom = require "warploom"
local kit = require "warploom.kit"

local function run(dev, p)
  local n = p.n
  dev:module "vectoradd.ptx"
  local a = dev:array("f32", n):random(p.seed, -1, 1)
  local b = dev:array("f32", n):random(p.seed + 1, -1, 1)
  local da, db = dev:upload(a, "a"), dev:upload(b, "b")
  local dc = dev:alloc({ type = "f32", count = n }, "c")

  dev:launch("vectoradd", { grid = (n + p.block - 1) // p.block,
                            block = p.block, args = { da, db, dc, n } })

  local c = dc:download()
  for i = 0, n - 1 do
    local want = loom.f32(a[i] + b[i])
    if c[i] ~= want then
      dev:check(false, ("c[%d] is %.9g, expected %.9g"):format(i, c[i], want))
    end
  end
  dev:verified "c = a + b, bit for bit"
end

return {
  name = "vectoradd",
  doc = "Sum of two vectors, one thread per element",
  sizes = { tiny = { n = 2000 } },
  params = {
    { name = "n", default = 65536, min = 1, doc = "Elements" },
    kit.param("block", 256, "Threads per CTA", 1024),
  },
  run = run,
}
