-- fdtd2d: Maxwell's equations on a grid, PolyBench's FDTD-2D.

local kit = require "warploom.kit"

local function step(ex, ey, hz, n, source)
  for i = 0, n - 1 do
    for j = 0, n - 1 do
      local at = i * n + j
      ey[at] = i == 0 and source or ey[at] - 0.5 * (hz[at] - hz[at - n])
    end
  end
  for i = 0, n - 1 do
    for j = 1, n - 1 do
      local at = i * n + j
      ex[at + i] = ex[at + i] - 0.5 * (hz[at] - hz[at - 1])
    end
  end
  for i = 0, n - 1 do
    for j = 0, n - 1 do
      local at = i * n + j
      hz[at] = hz[at] - 0.7 * (ex[at + i + 1] - ex[at + i] + ey[at + n] -
                               ey[at])
    end
  end
end

local function run(dev, p)
  local n = p.n
  dev:module "fdtd2d.ptx"
  local ex, ey, hz = kit.real(dev, n * (n + 1), p.seed),
                     kit.real(dev, (n + 1) * n, p.seed + 1),
                     kit.real(dev, n * n, p.seed + 2)
  local dex, dey, dhz = dev:upload(ex, "ex"), dev:upload(ey, "ey"),
                        dev:upload(hz, "hz")
  local compare = kit.iterate(dev, p, {
    count = p.steps, cells = 3 * n * n, tolerance = 1e-5,
    start = { ex = ex, ey = ey, hz = hz },
    buffers = function() return { ex = dex, ey = dey, hz = dhz } end,
    launch = function(t)
      kit.plane(dev, "fdtd2d_ey", n, n, { n, n, t, dey, dhz })
      kit.plane(dev, "fdtd2d_ex", n, n, { n, n, dex, dhz })
      kit.plane(dev, "fdtd2d_hz", n, n, { n, n, dex, dey, dhz })
    end,
    step = function(s, t) step(s.ex, s.ey, s.hz, n, t) end,
  })

  return function() dev:verified("all fields, to 1e-5, " .. compare()) end
end

return {
  name = "fdtd2d",
  doc = "Maxwell's equations by finite differences (PolyBench FDTD-2D)",
  suite = "PolyBench",
  source = "PolyBench FDTD-2D",
  classes = { dacache = "coherent" },
  params = { kit.param("n", 512, "Rows and columns of the grid", 8192, 2),
             kit.param("steps", 1, "Time steps", 1000) },
  sizes = { tiny = { n = 40, steps = 2 },
            paper = { n = 2048, steps = 500 } },
  paper = "DaCache: \"default\"",
  loads = {
    fdtd2d_ey = { ey = "streaming coherent", hz = "inter coherent" },
    fdtd2d_ex = { ex = "streaming coherent", hz = "mixed coherent" },
    fdtd2d_hz = { ex = "intra coherent", ey = "inter coherent",
                  hz = "streaming coherent" },
  },
  reference = { at = { n = 512, steps = 1 }, minst = 28.8, lines = 1.35,
                hits = { 30, 32, 32, 38 } },
  run = run,
}
