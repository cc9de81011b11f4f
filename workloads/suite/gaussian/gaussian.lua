-- gaussian: Gaussian elimination, Rodinia's gaussian.
--
-- The matrix is dominated by its diagonal, so that no pivots are needed; the
-- check solves for x and multiplies with the matrix that it began with.

local loom = require "warploom"
local kit = require "warploom.kit"

local function run(dev, p)
  local n = p.n
  dev:module "gaussian.ptx"
  local a, b = kit.real(dev, n * n, p.seed), kit.real(dev, n, p.seed + 1)
  for i = 0, n - 1 do a[i * n + i] = a[i * n + i] + n end
  local da, db = dev:upload(a, "a"), dev:upload(b, "b")
  local dm = kit.zeros(dev, "f32", n * n, "m")
  for t = 0, n - 2 do
    kit.row(dev, "gaussian_multipliers", n, p.block, { dm, da, n, t })
    dev:launch("gaussian_subtract", {
      grid = { kit.ceil(n, 4), kit.ceil(n, 4) }, block = { 4, 4 },
      args = { dm, da, db, n, t } })
  end

  return function()
    local u, y = da:download(), db:download()
    local x = dev:array("f32", n)
    for i = n - 1, 0, -1 do
      local sum = y[i]
      for j = i + 1, n - 1 do sum = sum - u[i * n + j] * x[j] end
      x[i] = sum / u[i * n + i]
    end
    kit.close(dev, "A x", loom.matvec(a, x, n, n), b, 1e-4)
    dev:verified "A x = b, to 1e-4"
  end
end

return {
  name = "gaussian",
  doc = "Gaussian elimination (Rodinia gaussian)",
  suite = "Rodinia",
  source = "Rodinia gaussian",
  classes = { apcm = "CI" },
  params = { kit.param("n", 96, "Rows and columns", 4096, 2), kit.block },
  sizes = { tiny = { n = 14 },
            paper = { n = 216 } },
  paper = "by rule in the mean launch",
  loads = {
    gaussian_multipliers = { a = "inter divergent" },
    gaussian_subtract = { m = "inter divergent", a = "streaming divergent",
                          b = "inter coherent" },
  },
  reference = { at = { n = 96 }, minst = 23.8, lines = 3.0,
                hits = { 48, 52, 53, 53 } },
  run = run,
}
