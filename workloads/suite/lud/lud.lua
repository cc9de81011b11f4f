-- lud: LU decomposition in blocks, Rodinia's lud.
--
-- The matrix is dominated by its diagonal, so that no pivots are needed; the
-- check multiplies L and U.

local loom = require "warploom"
local kit = require "warploom.kit"

local function run(dev, p)
  local n = p.n
  dev:check(n % 16 == 0, "n must be a multiple of 16")
  dev:module "lud.ptx"
  local a = kit.real(dev, n * n, p.seed)
  for i = 0, n - 1 do a[i * n + i] = a[i * n + i] + n end
  local m = dev:upload(a, "m")
  for offset = 0, n - 16, 16 do
    local left = (n - offset) // 16 - 1
    local args = { m, n, offset }
    dev:launch("lud_diagonal", { grid = 1, block = 16, args = args })
    if left > 0 then
      dev:launch("lud_perimeter", { grid = left, block = 32, args = args })
      dev:launch("lud_internal", { grid = { left, left }, block = { 16, 16 },
                                   args = args })
    end
  end

  return function()
    local got = m:download()
    local l, u = dev:array("f32", n * n), dev:array("f32", n * n)
    for i = 0, n - 1 do
      for j = 0, n - 1 do
        local v = got[i * n + j]
        if i > j then l[i * n + j] = v else u[i * n + j] = v end
      end
      l[i * n + i] = 1
    end
    kit.close(dev, "L U", loom.matmul(l, u, n, n, n), a, 1e-5)
    dev:verified "L U = A, to 1e-5"
  end
end

return {
  name = "lud",
  doc = "LU decomposition in blocks (Rodinia lud)",
  suite = "Rodinia",
  source = "Rodinia lud",
  classes = { twolevel = "named" },
  params = { kit.param("n", 256, "Rows and columns", 4096, 16) },
  sizes = { tiny = { n = 48 }, paper = { n = 2048 } },
  paper = "the default of Rodinia",
  notes = "72 % of its loads miss in the L1 of the two-level paper, and few " ..
          "warps are active.",
  loads = {
    lud_diagonal = { m = "streaming coherent" },
    lud_perimeter = { m = "inter coherent" },
    lud_internal = { m = "inter coherent" },
  },
  reference = { at = { n = 256 }, minst = 35.7, lines = 1.8,
                hits = { 15, 18, 22, 29 },
                why = "rows are 1 KB apart, and how many of the blocks' " ..
                      "fit in 48 KB depends on the set index; the " ..
                      "reference's is not known: 22 % polynomial, 28 " ..
                      "folded, 26 random, 17 modulo" },
  run = run,
}
