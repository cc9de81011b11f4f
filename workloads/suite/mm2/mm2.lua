-- mm2: Two matrix products, A B C.
--
-- Small whole numbers, sums that are exact unless n is large, results compared
-- bit for bit then.

local loom = require "warploom"
local kit = require "warploom.kit"

local function run(dev, p)
  local n = p.n
  kit.exact(dev, n)
  dev:module "mm2.ptx"
  local matrix, product = kit.matrices(dev, "mm2_product", p)
  local a, da = matrix("A", 0)
  local b, db = matrix("B", 1)
  local c, dc = matrix("C", 2)
  local dab = product(da, db, "AB")
  local dabc = product(dab, dc, "ABC")

  return function()
    local ab = loom.matmul(a, b, n, n, n)
    kit.equal(dev, "AB", dab, ab)
    local how = kit.sums(dev, "ABC", dabc, loom.matmul(ab, c, n, n, n),
                         n + 1)
    dev:verified("A B and A B C, " .. how)
  end
end

return {
  name = "mm2",
  doc = "Two matrix products, A B C (PolyBench 2MM)",
  suite = "PolyBench",
  source = "PolyBench 2MM",
  classes = { dacache = "coherent" },
  params = { kit.param("n", 128, "Rows and columns of the matrices", 4096) },
  sizes = { tiny = { n = 36 }, paper = { n = 2048 } },
  paper = "DaCache: \"default\"",
  loads = {
    mm2_product = { A = "intra coherent", B = "inter coherent",
                    AB = "intra coherent", C = "inter coherent" },
  },
  reference = { at = { n = 128 }, minst = 21.9, lines = 1.0,
                hits = { 91, 92, 92, 92 } },
  run = run,
}
