-- sl1_mm: naive matrix product, a chunk of elements per thread.
--
-- Small whole numbers, exact sums, results compared bit for bit.

local loom = require "warploom"
local kit = require "warploom.kit"

local function run(dev, p)
  local n, inner = p.n, p.inner
  kit.exact(dev, inner * 9)
  dev:module "sl1_mm.ptx"
  local a, b = kit.whole(dev, n * inner, p.seed),
               kit.whole(dev, inner * n, p.seed + 1)
  local c = kit.zeros(dev, "f32", n * n, "C")
  local chunk = kit.ceil(n * n, p.threads)
  kit.row(dev, "sl1_mm", p.threads, p.block,
          { dev:upload(a, "A"), dev:upload(b, "B"), c, inner, n, chunk,
            n * n })

  return function()
    kit.equal(dev, "C", c, loom.matmul(a, b, n, inner, n))
    dev:verified "C = A B, bit for bit"
  end
end

return {
  name = "sl1_mm",
  doc = "Naive matrix product (S-L1)",
  suite = "S-L1",
  source = "S-L1",
  classes = { sl1 = "streaming" },
  params = { kit.threads, kit.param("n", 176, "Rows and columns of C", 8192),
             kit.param("inner", 64, "Columns of A, rows of B", 8192),
             kit.block },
  sizes = { tiny = { threads = 64, n = 20, inner = 12, block = 32 } },
  paper = "none: S-L1 states no sizes",
  loads = {
    sl1_mm = { A = "inter coherent", B = "inter divergent" },
  },
  run = run,
}
