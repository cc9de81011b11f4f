-- syrk: C = alpha A A^T + beta C, PolyBench's SYRK.
--
-- Small whole numbers, exact sums, results compared bit for bit.

local loom = require "warploom"
local kit = require "warploom.kit"

local function run(dev, p)
  local n, m = p.n, p.m
  local alpha, beta = 2, 3
  kit.exact(dev, m * 9 * alpha + 9)
  dev:module "syrk.ptx"
  local a, c = kit.whole(dev, n * m, p.seed), kit.whole(dev, n * n, p.seed + 1)
  local dc = dev:upload(c, "C")
  kit.plane(dev, "syrk", n, n, { n, m, alpha, beta, dev:upload(a, "A"), dc })

  return function()
    local t = dev:array("f32", m * n)
    for i = 0, n - 1 do
      for k = 0, m - 1 do t[k * n + i] = a[i * m + k] end
    end
    local product = loom.matmul(a, t, n, m, n)
    kit.equal(dev, "C", dc, c:map(function(v, i)
      return alpha * product[i] + beta * v
    end))
    dev:verified "C = alpha A A^T + beta C, bit for bit"
  end
end

return {
  name = "syrk",
  doc = "Symmetric rank-k update (PolyBench SYRK)",
  suite = "PolyBench",
  source = "PolyBench SYRK",
  classes = { dacache = "divergent" },
  params = {
    kit.param("n", 256, "Rows of A and C", 8192),
    kit.param("m", 64, "Columns of A", 8192),
  },
  sizes = { tiny = { n = 40, m = 24 }, paper = { n = 512, m = 512 } },
  paper = "DaCache: \"512 x 512\"",
  loads = {
    syrk = { A = "inter divergent", C = "streaming coherent" },
  },
  reference = { at = { n = 128, m = 128 }, minst = 13.1, lines = 16.4,
                hits = { 100, 100, 100, 100 } },
  run = run,
}
