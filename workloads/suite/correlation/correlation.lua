-- correlation: correlations of all pairs of variables, PolyBench's CORR.

local kit = require "warploom.kit"

local function reference(dev, data, m, n)
  local column = {}
  for j = 1, m do
    local c, mean, square = {}, 0, 0
    for i = 1, n do mean = mean + data[i * (m + 1) + j] end
    mean = mean / n
    for i = 1, n do
      c[i] = data[i * (m + 1) + j] - mean
      square = square + c[i] * c[i]
    end
    local scale = n ^ 0.5 * math.max((square / n) ^ 0.5, 0.005)
    for i = 1, n do c[i] = c[i] / scale end
    column[j] = c
  end
  return kit.products(dev, column, n)
end

local function run(dev, p)
  local m, n = p.m, p.n
  dev:module "correlation.ptx"
  local data = kit.real(dev, (n + 1) * (m + 1), p.seed)
  local ddata = dev:upload(data, "data")
  local mean = kit.zeros(dev, "f32", m + 1, "mean")
  local deviation = kit.zeros(dev, "f32", m + 1, "dev")
  local out = kit.zeros(dev, "f32", (m + 1) * (m + 1), "symmat")
  kit.row(dev, "correlation_mean", m, p.block, { m, n, mean, ddata })
  kit.row(dev, "correlation_deviation", m, p.block,
          { m, n, mean, deviation, ddata })
  kit.plane(dev, "correlation_normalise", m, n,
            { m, n, mean, deviation, ddata })
  kit.row(dev, "correlation_sums", m, p.block, { m, n, out, ddata }, m * n)

  return function()
    kit.close(dev, "symmat", out, reference(dev, kit.list(data), m, n), 1e-5)
    dev:verified "all correlations, to 1e-5"
  end
end

return {
  name = "correlation",
  doc = "Correlations of all pairs of variables (PolyBench CORR)",
  suite = "PolyBench",
  source = "PolyBench CORR",
  classes = { dacache = "coherent" },
  params = { kit.param("m", 256, "Variables", 4096),
             kit.param("n", 128, "Samples of each", 4096), kit.block },
  sizes = { tiny = { m = 40, n = 20 }, paper = { m = 2048, n = 2048 } },
  paper = "DaCache: \"default\"",
  loads = {
    correlation_mean = { data = "inter coherent" },
    correlation_deviation = { data = "inter coherent",
                              mean = "inter coherent" },
    correlation_normalise = { data = "streaming coherent",
                              mean = "inter coherent",
                              dev = "inter coherent" },
    correlation_sums = { data = "inter coherent",
                         symmat = "streaming coherent" },
  },
  reference = { at = { m = 256, n = 256 }, minst = 43.1, lines = 1.9,
                hits = { 61, 61, 61, 64 } },
  run = run,
}
