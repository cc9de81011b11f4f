-- atax: y = A^T (A x), PolyBench's ATAX.
--
-- The elements are small whole numbers, so that sums are exact in single
-- precision and the result is compared bit for bit, whatever the order of
-- the additions: x has elements up to 3 if there is room, else up to 1.  The
-- default is rectangular: 4096 rows are 128 warps, enough
-- for all SMs, and each warp keeps 32 lines alive.

local loom = require "warploom"
local kit = require "warploom.kit"

local function run(dev, p)
  local rows, columns = p.rows, p.columns
  local function ceil(n) return (n + p.block - 1) // p.block end

  dev:module "atax.ptx"
  local most = rows * columns * 3 < 1 << 24 and 4 or 2
  local a = dev:array("f32", rows * columns):random(p.seed, 0, 2, 1)
  local x = dev:array("f32", columns):random(p.seed + 1, 0, most, 1)
  local da, dx = dev:upload(a, "A"), dev:upload(x, "x")
  local dy = dev:alloc({ type = "f32", count = columns }, "y")
  local dtmp = dev:alloc({ type = "f32", count = rows }, "tmp")

  dev:launch("atax_rows", { grid = ceil(rows), block = p.block,
                            args = { rows, columns, da, dx, dtmp } })
  dev:launch("atax_columns", { grid = ceil(columns), block = p.block,
                               args = { rows, columns, da, dy, dtmp } })

  return function()
    local tmp = loom.matvec(a, x, rows, columns)
    local y = loom.matvec_t(a, tmp, rows, columns)
    dev:check(dtmp:download():equals(tmp), "tmp differs from the CPU's A x")
    local how = kit.sums(dev, "y", dy, y, rows + 1)
    dev:verified("y = A^T (A x), " .. how)
  end
end

return {
  name = "atax",
  doc = "Matrix transposed times matrix times vector (PolyBench ATAX)",
  suite = "PolyBench",
  source = "PolyBench ATAX",
  classes = { dacache = "divergent" },
  sizes = { tiny = { rows = 128, columns = 24 },
            paper = { rows = 8192, columns = 8192 } },
  paper = "DaCache: \"8K x 8K\"",
  loads = {
    atax_rows = { A = "intra divergent", x = "inter coherent",
                  tmp = "streaming coherent" },
    atax_columns = { A = "streaming coherent", y = "streaming coherent",
                     tmp = "inter coherent" },
  },
  reference = { at = { rows = 1024, columns = 1024 }, minst = 9.5,
                lines = 8.8, hits = { 5, 86, 94, 94 } },
  params = {
    kit.param("rows", 4096, "Rows of A", 65536),
    kit.param("columns", 256, "Columns of A", 65536),
    kit.block,
  },
  run = run,
}
