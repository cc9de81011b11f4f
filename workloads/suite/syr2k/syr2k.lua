-- syr2k: C = alpha (A B^T + B A^T) + beta C, PolyBench's SYR2K.
--
-- Small whole numbers, exact sums, results compared bit for bit.

local loom = require "warploom"
local kit = require "warploom.kit"

local function run(dev, p)
  local n, m = p.n, p.m
  local alpha, beta = 2, 3
  kit.exact(dev, m * 18 * alpha + 9)
  dev:module "syr2k.ptx"
  local a, b, c = kit.whole(dev, n * m, p.seed),
                  kit.whole(dev, n * m, p.seed + 1),
                  kit.whole(dev, n * n, p.seed + 2)
  local dc = dev:upload(c, "C")
  kit.plane(dev, "syr2k", n, n, { n, m, alpha, beta, dev:upload(a, "A"),
                                  dev:upload(b, "B"), dc })

  return function()
    local t = dev:array("f32", m * n) -- B transposed
    for i = 0, n - 1 do
      for k = 0, m - 1 do t[k * n + i] = b[i * m + k] end
    end
    local product = loom.matmul(a, t, n, m, n)
    kit.equal(dev, "C", dc, c:map(function(v, at)
      local i, j = at // n, at % n
      return alpha * (product[at] + product[j * n + i]) + beta * v
    end))
    dev:verified "C = alpha (A B^T + B A^T) + beta C, bit for bit"
  end
end

return {
  name = "syr2k",
  doc = "Symmetric rank-2k update (PolyBench SYR2K)",
  suite = "PolyBench",
  source = "PolyBench SYR2K",
  classes = { dacache = "divergent" },
  params = {
    kit.param("n", 256, "Rows of A, B and C", 8192),
    kit.param("m", 32, "Columns of A and B", 8192),
  },
  sizes = { tiny = { n = 40, m = 24 }, paper = { n = 256, m = 256 } },
  paper = "DaCache: \"256 x 256\"",
  loads = {
    syr2k = { A = "inter divergent", B = "inter divergent",
              C = "streaming coherent" },
  },
  reference = { at = { n = 128, m = 128 }, minst = 24.9, lines = 16.4,
                hits = { 88, 97, 100, 100 } },
  run = run,
}
