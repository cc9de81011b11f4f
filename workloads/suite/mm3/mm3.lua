-- mm3: Three matrix products, (A B)(C D).
--
-- Small whole numbers, sums that are exact unless n is large, results compared
-- bit for bit then.

local loom = require "warploom"
local kit = require "warploom.kit"

local function run(dev, p)
  local n = p.n
  kit.exact(dev, n)
  dev:module "mm3.ptx"
  local matrix, product = kit.matrices(dev, "mm3_product", p)
  local a, da = matrix("A", 0)
  local b, db = matrix("B", 1)
  local c, dc = matrix("C", 2)
  local d, dd = matrix("D", 3)
  local de, df = product(da, db, "AB"), product(dc, dd, "CD")
  local dg = product(de, df, "G")

  return function()
    local e, f = loom.matmul(a, b, n, n, n), loom.matmul(c, d, n, n, n)
    kit.equal(dev, "AB", de, e)
    kit.equal(dev, "CD", df, f)
    local how = kit.sums(dev, "G", dg, loom.matmul(e, f, n, n, n), n + 1)
    dev:verified("A B, C D and their product, " .. how)
  end
end

return {
  name = "mm3",
  doc = "Three matrix products, (A B)(C D) (PolyBench 3MM)",
  suite = "PolyBench",
  source = "PolyBench 3MM",
  classes = { dacache = "coherent" },
  params = { kit.param("n", 128, "Rows and columns of the matrices", 4096) },
  sizes = { tiny = { n = 28 }, paper = { n = 512 } },
  paper = "DaCache: \"default\"",
  loads = {
    mm3_product = { A = "intra coherent", B = "inter coherent",
                    C = "intra coherent", D = "inter coherent",
                    AB = "intra coherent", CD = "inter coherent" },
  },
  reference = { at = { n = 128 }, minst = 32.9, lines = 1.0,
                hits = { 91, 92, 92, 92 } },
  run = run,
}
