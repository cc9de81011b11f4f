-- covariance: covariances of all pairs of variables, PolyBench's COVAR.

local kit = require "warploom.kit"

-- Sums of products of centred columns.
local function reference(dev, data, m, n)
  local column = {}
  for j = 1, m do
    local c, mean = {}, 0
    for i = 1, n do mean = mean + data[i * (m + 1) + j] end
    mean = mean / n
    for i = 1, n do c[i] = data[i * (m + 1) + j] - mean end
    column[j] = c
  end
  return kit.products(dev, column, n)
end

local function run(dev, p)
  local m, n = p.m, p.n
  dev:module "covariance.ptx"
  local data = kit.real(dev, (n + 1) * (m + 1), p.seed)
  local ddata = dev:upload(data, "data")
  local mean = kit.zeros(dev, "f32", m + 1, "mean")
  local out = kit.zeros(dev, "f32", (m + 1) * (m + 1), "symmat")
  kit.row(dev, "covariance_mean", m, p.block, { m, n, mean, ddata })
  kit.plane(dev, "covariance_centre", m, n, { m, n, mean, ddata })
  kit.row(dev, "covariance_sums", m, p.block, { m, n, out, ddata }, m * n)

  return function()
    kit.close(dev, "symmat", out, reference(dev, kit.list(data), m, n), 1e-5)
    dev:verified "all covariances, to 1e-5"
  end
end

return {
  name = "covariance",
  doc = "Covariances of all pairs of variables (PolyBench COVAR)",
  suite = "PolyBench",
  source = "PolyBench COVAR",
  classes = { dacache = "coherent" },
  params = { kit.param("m", 256, "Variables", 4096),
             kit.param("n", 128, "Samples of each", 4096), kit.block },
  sizes = { tiny = { m = 40, n = 20 }, paper = { m = 2048, n = 2048 } },
  paper = "DaCache: \"default\"",
  loads = {
    covariance_mean = { data = "inter coherent" },
    covariance_centre = { data = "streaming coherent",
                          mean = "inter coherent" },
    covariance_sums = { data = "inter coherent",
                        symmat = "streaming coherent" },
  },
  reference = { at = { m = 256, n = 256 }, minst = 41.2, lines = 1.9,
                hits = { 61, 61, 61, 64 } },
  run = run,
}
