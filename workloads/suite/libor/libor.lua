-- libor: paths of the LIBOR market model, LIB of ISPASS 2009.

local kit = require "warploom.kit"

local rates, options, delta = 40, 15, 0.25

-- Normal deviates by sums of twelve uniform ones.
local function normals(dev, count, seed)
  local u = kit.list(kit.real(dev, 12 * count, seed))
  return kit.array(dev, "f32", count, function(i)
    local sum = -6
    for k = 12 * i, 12 * i + 11 do sum = sum + u[k] end
    return sum
  end)
end

local function value_of(z, path, p, c)
  local rate, bond, annuity, sum = {}, 1, 0, 0
  for i = 0, rates - 1 do rate[i] = 0.05 end
  for n = 0, p.maturity - 1 do
    local drift, shock = 0, delta ^ 0.5 * z[n * p.paths + path]
    for i = n + 1, rates - 1 do
      local l = c.lambda[i - n - 1]
      drift = drift + delta * l * rate[i] / (1 + delta * rate[i])
      rate[i] = rate[i] * math.exp(delta * l * drift +
                                   l * (shock - 0.5 * delta * l))
    end
  end
  local swap, annuities = {}, {}
  for i = p.maturity, rates - 1 do
    bond = bond / (1 + delta * rate[i])
    annuity = annuity + delta * bond
    swap[i], annuities[i] = 1 - bond, annuity
  end
  for o = 0, options - 1 do
    local m = p.maturity + c.maturity_of[o] - 1
    sum = sum + math.max(swap[m] - c.swap_rate[o] * annuities[m], 0)
  end
  return sum / (1 + delta * 0.05) ^ p.maturity
end

local function run(dev, p)
  dev:module "libor.ptx"
  local c = {
    lambda = kit.array(dev, "f32", rates, function(i)
      return 0.2 + 0.001 * i
    end),
    maturity_of = kit.array(dev, "i32", options, function(o)
      return 1 + o * (rates - p.maturity - 1) // (options - 1)
    end),
    swap_rate = kit.array(dev, "f32", options, function(o)
      return 0.045 + 0.001 * (o % 3)
    end),
  }
  for name, data in pairs(c) do dev:constant(name, data) end
  local z = normals(dev, p.paths * p.maturity, p.seed)
  local value = kit.zeros(dev, "f32", p.paths, "value")
  kit.row(dev, "libor", p.paths, p.block,
          { dev:upload(z, "normal"), value, p.paths, p.maturity, delta })

  return function()
    local t, want = kit.list(z), {}
    local lists = {}
    for name, data in pairs(c) do lists[name] = kit.list(data) end
    for path = 0, p.paths - 1 do
      want[path] = value_of(t, path, p, lists)
    end
    kit.close(dev, "value", value, want, 1e-4)
    dev:verified "the value of every path, to 1e-4"
  end
end

return {
  name = "libor",
  doc = "Paths of the LIBOR market model (ISPASS 2009 LIB)",
  suite = "ISPASS 2009",
  source = "Glasserman and Zhao, 2000",
  classes = { loscache = "named" },
  params = { kit.param("paths", 2048, "Paths", 1 << 20),
             kit.param("maturity", 20, "Steps", 39),
             kit.param("block", 64, "Threads per CTA", 1024, 32) },
  sizes = { tiny = { paths = 64, maturity = 4 }, paper = { paths = 4096 } },
  paper = "LoSCache: \"default inputs\"",
  notes = "Half as many rates as the published program has, and without " ..
          "its second kernel (sensitivities). The model of locality " ..
          "evicts local lines at stores, too, so that it finds no reuse " ..
          "here.",
  loads = {
    libor = { normal = "streaming coherent",
              ["(local)"] = "streaming coherent" },
  },
  run = run,
}
