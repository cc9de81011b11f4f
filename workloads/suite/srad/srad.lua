-- srad: anisotropic diffusion of an image, Rodinia's srad (version 2).

local kit = require "warploom.kit"

local lambda = 0.5

-- How noisy the upper left quarter is: the host's part of an iteration.
local function noise(j, n)
  local sum, square, count = 0, 0, (n // 2) ^ 2
  for y = 0, n // 2 - 1 do
    for x = 0, n // 2 - 1 do
      local v = j[y * n + x]
      sum, square = sum + v, square + v * v
    end
  end
  local mean = sum / count
  return (square / count - mean * mean) / (mean * mean)
end

local function step(j, n, q0)
  local c, d = {}, {}
  local function at(y, x)
    y = y < 0 and 0 or y >= n and n - 1 or y
    x = x < 0 and 0 or x >= n and n - 1 or x
    return y * n + x
  end
  for y = 0, n - 1 do
    for x = 0, n - 1 do
      local i = y * n + x
      local v = j[i]
      local up, down = j[at(y - 1, x)] - v, j[at(y + 1, x)] - v
      local left, right = j[at(y, x - 1)] - v, j[at(y, x + 1)] - v
      local g2 = (up * up + down * down + left * left + right * right) /
                 (v * v)
      local l = (up + down + left + right) / v
      local q = (0.5 * g2 - l * l / 16) / (1 + 0.25 * l) ^ 2
      c[i] = math.min(math.max(1 / (1 + (q - q0) / (q0 * (1 + q0))), 0), 1)
      d[i] = { up, down, left, right }
    end
  end
  for y = 0, n - 1 do
    for x = 0, n - 1 do
      local i = y * n + x
      local e = d[i]
      j[i] = j[i] + 0.25 * lambda * (c[i] * e[1] + c[at(y + 1, x)] * e[2] +
                                     c[i] * e[3] + c[at(y, x + 1)] * e[4])
    end
  end
end

local function run(dev, p)
  local n = p.n
  dev:check(n % 16 == 0, "n must be a multiple of 16")
  dev:module "srad.ptx"
  local image = kit.real(dev, n * n, p.seed, 1, 2)
  local j, c = dev:upload(image, "J"), kit.zeros(dev, "f32", n * n, "C")
  local d = {}
  for i, name in ipairs { "E", "W", "N", "S" } do
    d[i] = kit.zeros(dev, "f32", n * n, name)
  end
  local shape = { n // 16, n // 16 }
  for _ = 1, p.iterations do
    local q0 = noise(kit.list(j), n)
    dev:launch("srad_coefficient", { grid = shape, block = { 16, 16 },
      args = { j, d[1], d[2], d[3], d[4], c, n, n, q0 } })
    dev:launch("srad_update", { grid = shape, block = { 16, 16 },
      args = { j, d[1], d[2], d[3], d[4], c, n, n, lambda } })
  end

  return function()
    local t = kit.list(image)
    for _ = 1, p.iterations do step(t, n, noise(t, n)) end
    kit.close(dev, "J", j, t, 1e-4)
    dev:verified "the image, to 1e-4"
  end
end

return {
  name = "srad",
  doc = "Speckle-reducing anisotropic diffusion (Rodinia srad, version 2)",
  suite = "Rodinia",
  source = "Yu and Acton, 2002",
  classes = { apcm = "CI", loscache = "named" },
  params = { kit.param("n", 256, "Rows and columns of the image", 8192, 16),
             kit.param("iterations", 1, "Iterations", 1000) },
  sizes = { tiny = { n = 32 }, paper = { n = 2048, iterations = 2 } },
  paper = "LoSCache: \"default inputs\"",
  loads = {
    srad_coefficient = { J = "mixed coherent" },
    srad_update = { J = "inter coherent", C = "mixed coherent",
                    E = "streaming coherent", W = "streaming coherent",
                    N = "streaming coherent", S = "streaming coherent" },
  },
  reference = { at = { n = 256, iterations = 2 }, minst = 36.5, lines = 1.8,
                hits = { 26, 29, 30, 36 } },
  run = run,
}
