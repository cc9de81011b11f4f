-- mvt: x1 = x1 + A y1 and x2 = x2 + A^T y2, PolyBench's MVT.
--
-- Small whole numbers, exact sums, results compared bit for bit.

local loom = require "warploom"
local kit = require "warploom.kit"

local function run(dev, p)
  local rows, columns = p.rows, p.columns
  kit.exact(dev, math.max(rows, columns) * 9 + 3)
  dev:module "mvt.ptx"
  local a = kit.whole(dev, rows * columns, p.seed)
  local x1, y1 = kit.whole(dev, rows, p.seed + 1),
                 kit.whole(dev, columns, p.seed + 2)
  local x2, y2 = kit.whole(dev, columns, p.seed + 3),
                 kit.whole(dev, rows, p.seed + 4)
  local da, dx1, dx2 = dev:upload(a, "A"), dev:upload(x1, "x1"),
                       dev:upload(x2, "x2")
  kit.row(dev, "mvt_rows", rows, p.block,
          { rows, columns, da, dx1, dev:upload(y1, "y1") })
  kit.row(dev, "mvt_columns", columns, p.block,
          { rows, columns, da, dx2, dev:upload(y2, "y2") })

  return function()
    local ax, atx = loom.matvec(a, y1, rows, columns),
                    loom.matvec_t(a, y2, rows, columns)
    kit.equal(dev, "x1", dx1, x1:map(function(v, i) return v + ax[i] end))
    kit.equal(dev, "x2", dx2, x2:map(function(v, i) return v + atx[i] end))
    dev:verified "x1 and x2, bit for bit"
  end
end

return {
  name = "mvt",
  doc = "Matrix-vector product and transposed product (PolyBench MVT)",
  suite = "PolyBench",
  source = "PolyBench MVT",
  classes = { dacache = "divergent" },
  params = {
    kit.param("rows", 4096, "Rows of A", 65536),
    kit.param("columns", 256, "Columns of A", 65536),
    kit.block,
  },
  sizes = { tiny = { rows = 96, columns = 40 },
            paper = { rows = 8192, columns = 8192 } },
  paper = "DaCache: \"8K\"",
  loads = {
    mvt_rows = { A = "intra divergent", x1 = "streaming coherent",
                 y1 = "inter coherent" },
    mvt_columns = { A = "streaming coherent", x2 = "streaming coherent",
                    y2 = "inter coherent" },
  },
  reference = { at = { rows = 1024, columns = 1024 }, minst = 9.5, lines = 8.8,
                hits = { 5, 92, 94, 94 } },
  run = run,
}
