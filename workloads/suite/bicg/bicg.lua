-- bicg: s = A^T r and q = A p, PolyBench's BICG.
--
-- Small whole numbers, exact sums, results compared bit for bit.

local loom = require "warploom"
local kit = require "warploom.kit"

local function run(dev, p)
  local rows, columns = p.rows, p.columns
  local function ceil(n) return (n + p.block - 1) // p.block end
  local function small(n, seed)
    return dev:array("f32", n):random(seed, 0, 4, 1)
  end

  dev:check(math.max(rows, columns) * 9 < 1 << 24,
            "the sums would not be exact in f32")
  dev:module "bicg.ptx"
  local a = small(rows * columns, p.seed)
  local r, pv = small(rows, p.seed + 1), small(columns, p.seed + 2)
  local da, dr, dp = dev:upload(a, "A"), dev:upload(r, "r"),
                     dev:upload(pv, "p")
  local ds = dev:alloc({ type = "f32", count = columns }, "s")
  local dq = dev:alloc({ type = "f32", count = rows }, "q")

  dev:launch("bicg_columns", { grid = ceil(columns), block = p.block,
                               args = { rows, columns, da, dr, ds } })
  dev:launch("bicg_rows", { grid = ceil(rows), block = p.block,
                            args = { rows, columns, da, dp, dq } })

  return function()
    dev:check(ds:download():equals(loom.matvec_t(a, r, rows, columns)),
              "s differs from the CPU's A^T r")
    dev:check(dq:download():equals(loom.matvec(a, pv, rows, columns)),
              "q differs from the CPU's A p")
    dev:verified "s = A^T r and q = A p, bit for bit"
  end
end

return {
  name = "bicg",
  doc = "Two matrix-vector products of the BiCG method (PolyBench BICG)",
  suite = "PolyBench",
  source = "PolyBench BICG",
  classes = { dacache = "divergent", loscache = "named" },
  sizes = { tiny = { rows = 96, columns = 40 },
            paper = { rows = 8192, columns = 8192 } },
  paper = "DaCache: \"8K x 8K\"",
  loads = {
    bicg_columns = { A = "streaming coherent", r = "inter coherent",
                     s = "streaming coherent" },
    bicg_rows = { A = "intra divergent", p = "inter coherent",
                  q = "streaming coherent" },
  },
  reference = { at = { rows = 4096, columns = 512 }, minst = 19.1,
                lines = 8.8, hits = { 5, 76, 83, 94 } },
  params = {
    kit.param("rows", 4096, "Rows of A", 65536),
    kit.param("columns", 256, "Columns of A", 65536),
    kit.block,
  },
  run = run,
}
