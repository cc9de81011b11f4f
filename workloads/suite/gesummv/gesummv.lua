-- gesummv: y = alpha A x + beta B x, PolyBench's GESUMMV.
--
-- Small whole numbers, exact sums, results compared bit for bit.

local loom = require "warploom"
local kit = require "warploom.kit"

local function run(dev, p)
  local rows, columns = p.rows, p.columns
  local alpha, beta = 2, 3
  kit.exact(dev, columns * 9 * (alpha + beta))
  dev:module "gesummv.ptx"
  local a, b = kit.whole(dev, rows * columns, p.seed),
               kit.whole(dev, rows * columns, p.seed + 1)
  local x = kit.whole(dev, columns, p.seed + 2)
  local y = kit.zeros(dev, "f32", rows, "y")
  kit.row(dev, "gesummv", rows, p.block,
          { rows, columns, alpha, beta, dev:upload(a, "A"),
            dev:upload(b, "B"), kit.zeros(dev, "f32", rows, "tmp"),
            dev:upload(x, "x"), y })

  return function()
    local ax, bx = loom.matvec(a, x, rows, columns),
                   loom.matvec(b, x, rows, columns)
    kit.equal(dev, "y", y, ax:map(function(v, i)
      return alpha * v + beta * bx[i]
    end))
    dev:verified "y = alpha A x + beta B x, bit for bit"
  end
end

return {
  name = "gesummv",
  doc = "Sum of two matrix-vector products (PolyBench GESUMMV)",
  suite = "PolyBench",
  source = "PolyBench GESUMMV",
  classes = { dacache = "divergent" },
  params = {
    kit.param("rows", 4096, "Rows of A and B", 65536),
    kit.param("columns", 128, "Columns of A and B", 65536),
    kit.block,
  },
  sizes = { tiny = { rows = 96, columns = 40 },
            paper = { rows = 4096, columns = 4096 } },
  paper = "DaCache: \"4K\"",
  loads = {
    gesummv = { A = "intra divergent", B = "intra divergent",
                tmp = "streaming coherent", x = "inter coherent",
                y = "streaming coherent" },
  },
  reference = { at = { rows = 1024, columns = 1024 }, minst = 11.3,
                lines = 11.3, hits = { 3, 3, 3, 94 } },
  run = run,
}
