-- matrixmul: C = A B in tiles of 32 x 32, matrixMul of the CUDA samples.
--
-- Small whole numbers, exact sums, results compared bit for bit.

local loom = require "warploom"
local kit = require "warploom.kit"

local function run(dev, p)
  local n = p.n
  dev:check(n % 32 == 0, "n must be a multiple of 32")
  kit.exact(dev, n * 9)
  dev:module "matrixmul.ptx"
  local a, b = kit.whole(dev, n * n, p.seed), kit.whole(dev, n * n, p.seed + 1)
  local c = kit.zeros(dev, "f32", n * n, "C")
  dev:launch("matrixmul", { grid = { n // 32, n // 32 }, block = { 32, 32 },
    args = { c, dev:upload(a, "A"), dev:upload(b, "B"), n, n } })

  return function()
    kit.equal(dev, "C", c, loom.matmul(a, b, n, n, n))
    dev:verified "C = A B, bit for bit"
  end
end

return {
  name = "matrixmul",
  doc = "Matrix product in tiles (CUDA samples matrixMul)",
  suite = "CUDA samples",
  source = "CUDA C Programming Guide",
  classes = { loscache = "named" },
  params = { kit.param("n", 192, "Rows and columns", 4096, 32) },
  sizes = { tiny = { n = 32 }, paper = { n = 320 } },
  paper = "LoSCache: \"default inputs\" (whose B is twice as wide; it is " ..
          "square here)",
  loads = { matrixmul = { A = "streaming coherent",
                          B = "streaming coherent" } },
  reference = { at = { n = 128 }, minst = 7.8, lines = 1,
                hits = { 0, 0, 0, 0 } },
  run = run,
}
