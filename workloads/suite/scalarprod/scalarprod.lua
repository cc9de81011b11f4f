-- scalarprod: scalar products of pairs of vectors, scalarProd of the CUDA
-- samples.  Small whole numbers, exact sums, results compared bit for bit.

local kit = require "warploom.kit"

local function run(dev, p)
  local n, length = p.pairs, p.length
  kit.exact(dev, length * 9)
  dev:module "scalarprod.ptx"
  local a, b = kit.whole(dev, n * length, p.seed),
               kit.whole(dev, n * length, p.seed + 1)
  local product = kit.zeros(dev, "f32", n, "product")
  dev:launch("scalarprod", { grid = math.min(n, 128), block = p.block,
    args = { product, dev:upload(a, "A"), dev:upload(b, "B"), n, length } })

  return function()
    local x, y, want = kit.list(a), kit.list(b), {}
    for v = 0, n - 1 do
      local sum = 0
      for i = v * length, (v + 1) * length - 1 do sum = sum + x[i] * y[i] end
      want[v] = sum
    end
    kit.equal(dev, "product", product, want)
    dev:verified "all products, bit for bit"
  end
end

return {
  name = "scalarprod",
  doc = "Scalar products of pairs of vectors (CUDA samples scalarProd)",
  suite = "CUDA samples",
  source = "CUDA samples scalarProd",
  classes = { loscache = "named" },
  params = { kit.param("pairs", 128, "Pairs of vectors", 65536),
             kit.param("length", 2048, "Elements of a vector", 1 << 20),
             kit.block },
  sizes = { tiny = { pairs = 5, length = 300 },
            paper = { pairs = 256, length = 4096 } },
  paper = "LoSCache: \"default inputs\"",
  loads = { scalarprod = { A = "streaming coherent",
                           B = "streaming coherent" } },
  reference = { at = { pairs = 128, length = 2048 }, minst = 16.1, lines = 1,
                hits = { 0, 0, 0, 0 } },
  run = run,
}
