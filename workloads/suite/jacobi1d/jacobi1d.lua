-- jacobi1d: Jacobi iteration in one dimension, PolyBench's jacobi1D.

local kit = require "warploom.kit"

local third = kit.f32(0.33333) -- thousands of steps show the difference

local function run(dev, p)
  local n = p.n
  dev:module "jacobi1d.ptx"
  local a = kit.real(dev, n, p.seed)
  local da, db = dev:upload(a, "A"), kit.zeros(dev, "f32", n, "B")
  local y = {}
  local compare = kit.iterate(dev, p, {
    count = p.steps, cells = n, tolerance = 1e-5, start = { A = a },
    buffers = function() return { A = da } end,
    launch = function()
      kit.row(dev, "jacobi1d_average", n, p.block, { n, da, db })
      kit.row(dev, "jacobi1d_copy", n, p.block, { n, da, db })
    end,
    step = function(s)
      local x = s.A
      for i = 1, n - 2 do y[i] = third * (x[i - 1] + x[i] + x[i + 1]) end
      table.move(y, 1, n - 2, 1, x)
    end,
  })

  return function() dev:verified("A, to 1e-5, " .. compare()) end
end

return {
  name = "jacobi1d",
  doc = "Jacobi iteration in one dimension (PolyBench jacobi1D)",
  suite = "PolyBench",
  source = "PolyBench jacobi1D",
  classes = { twolevel = "bypass" },
  params = { kit.param("n", 16384, "Elements", 1 << 22, 3),
             kit.param("steps", 30, "Iterations", 100000), kit.block },
  sizes = { tiny = { n = 600, steps = 3 },
            paper = { n = 4096, steps = 10000 } },
  paper = "the default of PolyBench",
  loads = {
    jacobi1d_average = { A = "inter coherent" },
    jacobi1d_copy = { B = "streaming coherent" },
  },
  reference = { at = { n = 16384, steps = 30 }, minst = 23.1, lines = 1.5,
                hits = { 66, 66, 67, 67 } },
  run = run,
}
