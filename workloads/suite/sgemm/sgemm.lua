-- sgemm: C = alpha A B^T + beta C with register tiles, Parboil's sgemm.
--
-- Small whole numbers, exact sums, results compared bit for bit.

local loom = require "warploom"
local kit = require "warploom.kit"

local function run(dev, p)
  local m, n, k = p.m, p.n, p.k
  local alpha, beta = 2, 3
  dev:check(m % 128 == 0 and n % 16 == 0 and k % 8 == 0,
            "m must be a multiple of 128, n of 16, k of 8")
  kit.exact(dev, k * 9 * alpha + 9)
  dev:module "sgemm.ptx"
  -- Column order: row j of `a` is column j of A.
  local a, b, c = kit.whole(dev, k * m, p.seed),
                  kit.whole(dev, k * n, p.seed + 1),
                  kit.whole(dev, n * m, p.seed + 2)
  local dc = dev:upload(c, "C")
  dev:launch("sgemm", { grid = { m // 128, n // 16 }, block = { 16, 8 },
                        args = { dev:upload(a, "A"), dev:upload(b, "B"), dc,
                                 m, n, k, alpha, beta } })

  return function()
    local bt = dev:array("f32", n * k)
    for i = 0, k - 1 do
      for j = 0, n - 1 do bt[j * k + i] = b[i * n + j] end
    end
    local product = loom.matmul(bt, a, n, k, m)
    kit.equal(dev, "C", dc, c:map(function(v, i)
      return alpha * product[i] + beta * v
    end))
    dev:verified "C = alpha A B^T + beta C, bit for bit"
  end
end

return {
  name = "sgemm",
  doc = "Matrix product in register tiles (Parboil sgemm)",
  suite = "Parboil",
  source = "Volkov and Demmel, SC 2008",
  classes = { apcm = "CI" },
  params = { kit.param("m", 1024, "Rows of C", 65536, 128),
             kit.param("n", 160, "Columns of C", 65536, 16),
             kit.param("k", 96, "Columns of A and B", 65536, 8) },
  sizes = { tiny = { m = 128, n = 32, k = 16 },
            paper = { m = 1024, n = 1056, k = 992 } },
  paper = "the default of Parboil (medium)",
  loads = {
    sgemm = { A = "streaming coherent", B = "streaming coherent",
              C = "streaming coherent" },
  },
  reference = { at = { m = 128, n = 160, k = 96 }, minst = 4.9, lines = 1.1,
                hits = { 0, 0, 0, 0 } },
  run = run,
}
