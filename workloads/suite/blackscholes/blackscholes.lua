-- blackscholes: prices of options, BlackScholes of the CUDA samples.

local kit = require "warploom.kit"

local rate, volatility = 0.02, 0.3

local function cumulative(d)
  local k = 1 / (1 + 0.2316419 * math.abs(d))
  local tail = 0.39894228 * math.exp(-0.5 * d * d) * k * (0.31938153 + k *
    (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
  return d > 0 and 1 - tail or tail
end

local function run(dev, p)
  local n = 2 * p.pairs
  dev:module "blackscholes.ptx"
  local stock, strike, years = kit.real(dev, n, p.seed, 5, 30),
                               kit.real(dev, n, p.seed + 1, 1, 100),
                               kit.real(dev, n, p.seed + 2, 0.25, 10)
  local call, put = kit.zeros(dev, "f32", n, "call"),
                    kit.zeros(dev, "f32", n, "put")
  kit.row(dev, "blackscholes", p.pairs, p.block,
          { call, put, dev:upload(stock, "stock"),
            dev:upload(strike, "strike"), dev:upload(years, "years"), rate,
            volatility, p.pairs })

  return function()
    local s, x, t = kit.list(stock), kit.list(strike), kit.list(years)
    local calls, puts = {}, {}
    for i = 0, n - 1 do
      local root = t[i] ^ 0.5
      local d1 = (math.log(s[i] / x[i]) +
                  (rate + 0.5 * volatility * volatility) * t[i]) /
                 (volatility * root)
      local c1, c2 = cumulative(d1), cumulative(d1 - volatility * root)
      local later = x[i] * math.exp(-rate * t[i])
      calls[i] = s[i] * c1 - later * c2
      puts[i] = later * (1 - c2) - s[i] * (1 - c1)
    end
    kit.close(dev, "call", call, calls, 1e-5)
    kit.close(dev, "put", put, puts, 1e-5)
    dev:verified "all prices, to 1e-5"
  end
end

return {
  name = "blackscholes",
  doc = "Prices of options (CUDA samples BlackScholes)",
  suite = "CUDA samples",
  source = "Black and Scholes, 1973",
  classes = { loscache = "named" },
  params = { kit.param("pairs", 100000, "Pairs of options", 1 << 22),
             kit.param("block", 128, "Threads per CTA", 1024, 32) },
  sizes = { tiny = { pairs = 500 }, paper = { pairs = 2000000 } },
  paper = "LoSCache: \"default inputs\"",
  loads = { blackscholes = { stock = "streaming coherent",
                             strike = "streaming coherent",
                             years = "streaming coherent" } },
  reference = { at = { pairs = 50000 }, minst = 7.4, lines = 2,
                hits = { 0, 0, 0, 0 } },
  run = run,
}
