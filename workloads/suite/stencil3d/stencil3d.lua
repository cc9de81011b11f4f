-- stencil3d: seven-point stencil, Parboil's stencil.

local kit = require "warploom.kit"

local c0, c1 = 1 / 6, 1 / 36

local function step(a, nx, ny, nz)
  local b = table.move(a, 0, #a, 0, {})
  for z = 1, nz - 2 do
    for y = 1, ny - 2 do
      for x = 1, nx - 2 do
        local at = (z * ny + y) * nx + x
        b[at] = (a[at + nx * ny] + a[at - nx * ny] + a[at + nx] +
                 a[at - nx] + a[at + 1] + a[at - 1]) * c1 - a[at] * c0
      end
    end
  end
  return b
end

local function run(dev, p)
  local nx, ny, nz = p.nx, p.ny, p.nz
  dev:module "stencil3d.ptx"
  local volume = kit.real(dev, nx * ny * nz, p.seed)
  local a, b = dev:upload(volume, "in"), dev:upload(volume, "in")
  local compare = kit.iterate(dev, p, {
    count = p.iterations, cells = nx * ny * nz, tolerance = 1e-5,
    start = { volume = volume }, buffers = function() return { volume = a } end,
    launch = function()
      dev:launch("stencil3d", { grid = { kit.ceil(nx, 64), kit.ceil(ny, 4) },
                                block = { 32, 4 },
                                args = { a, b, c0, c1, nx, ny, nz } })
      a, b = b, a
    end,
    step = function(s) s.volume = step(s.volume, nx, ny, nz) end,
  })

  return function() dev:verified("the volume, to 1e-5, " .. compare()) end
end

return {
  name = "stencil3d",
  doc = "Seven-point stencil in three dimensions (Parboil stencil)",
  suite = "Parboil",
  source = "Parboil stencil",
  classes = { loscache = "named" },
  params = { kit.param("nx", 256, "Cells along x", 1024, 3),
             kit.param("ny", 128, "Cells along y", 1024, 3),
             kit.param("nz", 16, "Cells along z", 1024, 3),
             kit.param("iterations", 2, "Iterations", 1000) },
  sizes = { tiny = { nx = 70, ny = 10, nz = 5 },
            paper = { nx = 512, ny = 512, nz = 64, iterations = 100 } },
  paper = "LoSCache: \"default inputs\"",
  loads = { stencil3d = { ["in"] = "streaming coherent" } },
  reference = { at = { nx = 128, ny = 128, nz = 8, iterations = 4 },
                minst = 19.2, lines = 1.0, hits = { 0, 0, 0, 0 },
                why = "the first and the last plane are never written, as " ..
                      "in the published program, and stay in 128 KB from " ..
                      "launch to launch if the set index spreads planes, " ..
                      "which are 64 KB apart; the reference's is not " ..
                      "known: 18 % polynomial, 16 random, 3 folded, 0 " ..
                      "modulo. Caches that are emptied at each launch " ..
                      "(--model flush=true) give 0, too, but cannot be " ..
                      "it: conv3d would have 60 % for 84, nw 2 for 21" },
  run = run,
}
