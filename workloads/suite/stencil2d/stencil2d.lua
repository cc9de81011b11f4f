-- stencil2d: nine-point stencil of a plane, SHOC's stencil2d.

local kit = require "warploom.kit"

local centre, cardinal, diagonal = 0.25, 0.15, 0.05

local function step(a, rows, columns)
  local b, w = table.move(a, 0, #a, 0, {}), columns + 2
  for y = 1, rows do
    for x = 1, columns do
      local i = y * w + x
      b[i] = centre * a[i] +
             cardinal * (a[i - 1] + a[i + 1] + a[i - w] + a[i + w]) +
             diagonal * (a[i - w - 1] + a[i - w + 1] + a[i + w - 1] +
                         a[i + w + 1])
    end
  end
  return b
end

local function run(dev, p)
  local rows, columns = p.rows, p.columns
  dev:check(rows % 16 == 0 and columns % 64 == 0,
            "rows must be a multiple of 16, columns of 64")
  dev:module "stencil2d.ptx"
  local plane = kit.real(dev, (rows + 2) * (columns + 2), p.seed)
  local a, b = dev:upload(plane, "in"), dev:upload(plane, "in")
  local compare = kit.iterate(dev, p, {
    count = p.iterations, cells = rows * columns, tolerance = 1e-5,
    start = { plane = plane }, buffers = function() return { plane = a } end,
    launch = function()
      dev:launch("stencil2d", { grid = { columns // 64, rows // 16 },
        block = 64, args = { a, b, columns + 2, centre, cardinal,
                             diagonal } })
      a, b = b, a
    end,
    step = function(s) s.plane = step(s.plane, rows, columns) end,
  })

  return function() dev:verified("the plane, to 1e-5, " .. compare()) end
end

return {
  name = "stencil2d",
  doc = "Nine-point stencil of a plane (SHOC stencil2d)",
  suite = "SHOC",
  source = "SHOC stencil2d",
  classes = { apcm = "CI" },
  params = { kit.param("rows", 512, "Rows", 8192, 16),
             kit.param("columns", 512, "Columns", 8192, 64),
             kit.param("iterations", 2, "Iterations", 1000) },
  sizes = { tiny = { rows = 32, columns = 128 },
            paper = { rows = 512, columns = 512, iterations = 1000 } },
  paper = "the default of SHOC",
  loads = { stencil2d = { ["in"] = "mixed coherent" } },
  run = run,
}
