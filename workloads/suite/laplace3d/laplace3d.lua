-- laplace3d: Laplace's equation in three dimensions, LPS of ISPASS 2009.

local kit = require "warploom.kit"

-- A row takes a multiple of 512 bytes, as cudaMallocPitch gives.
local function pitch_of(nx) return kit.ceil(nx, 128) * 128 end

local function step(a, nx, ny, nz)
  local pitch = pitch_of(nx)
  local b = table.move(a, 0, #a, 0, {})
  for z = 1, nz - 2 do
    for y = 1, ny - 2 do
      for x = 1, nx - 2 do
        local i = (z * ny + y) * pitch + x
        b[i] = (a[i - 1] + a[i + 1] + a[i - pitch] + a[i + pitch] +
                a[i - pitch * ny] + a[i + pitch * ny]) / 6
      end
    end
  end
  return b
end

local function run(dev, p)
  local nx, ny, nz = p.nx, p.ny, p.nz
  dev:module "laplace3d.ptx"
  local pitch = pitch_of(nx)
  local cells = pitch * ny * nz
  local volume = kit.real(dev, cells, p.seed):map(function(value, i)
    return i % pitch < nx and value or 0
  end)
  local a = dev:upload(volume, "in")
  local b = kit.zeros(dev, "f32", cells, "in")
  local compare = kit.iterate(dev, p, {
    count = p.iterations, cells = cells, tolerance = 1e-5,
    start = { volume = volume }, buffers = function() return { volume = a } end,
    launch = function()
      dev:launch("laplace3d", {
        grid = { kit.ceil(nx, 32), kit.ceil(ny, 4) }, block = { 32, 4 },
        args = { nx, ny, nz, pitch, a, b } })
      a, b = b, a
    end,
    step = function(s) s.volume = step(s.volume, nx, ny, nz) end,
  })

  return function() dev:verified("the volume, to 1e-5, " .. compare()) end
end

return {
  name = "laplace3d",
  doc = "Laplace's equation in three dimensions (ISPASS 2009 LPS)",
  suite = "ISPASS 2009",
  source = "Giles's laplace3d",
  classes = { loscache = "named" },
  params = { kit.param("nx", 100, "Cells along x", 1024, 3),
             kit.param("ny", 100, "Cells along y", 1024, 3),
             kit.param("nz", 40, "Cells along z", 1024, 3),
             kit.param("iterations", 1, "Iterations", 1000) },
  sizes = { tiny = { nx = 40, ny = 10, nz = 5, iterations = 2 },
            paper = { nz = 100 } },
  paper = "LoSCache: \"default inputs\"",
  notes = "LoSCache's LPS is inferred to be this program.",
  loads = { laplace3d = { ["in"] = "streaming divergent" } },
  reference = { at = { nz = 100 }, minst = 61.3, lines = 2.1 },
  run = run,
}
