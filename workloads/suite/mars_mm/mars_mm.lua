-- mars_mm: matrix product as a map, after Mars.
--
-- Small whole numbers, exact sums, results compared bit for bit.

local loom = require "warploom"
local kit = require "warploom.kit"

local function run(dev, p)
  local n = p.n
  kit.exact(dev, n * 9)
  dev:module "mars_mm.ptx"
  local a, b = kit.whole(dev, n * n, p.seed), kit.whole(dev, n * n, p.seed + 1)
  local task = kit.array(dev, "i32", 2 * n * n, function(i)
    return i % 2 == 0 and i // 2 // n or i // 2 % n
  end)
  local c = kit.zeros(dev, "f32", n * n, "C")
  kit.row(dev, "mars_mm", n * n, p.block,
          { dev:upload(a, "A"), dev:upload(b, "B"), dev:upload(task, "task"),
            c, n, n * n })

  return function()
    local t = dev:array("f32", n * n)
    for i = 0, n - 1 do
      for j = 0, n - 1 do t[j * n + i] = b[i * n + j] end
    end
    kit.equal(dev, "C", c, loom.matmul(a, t, n, n, n))
    dev:verified "C = A B^T, bit for bit"
  end
end

return {
  name = "mars_mm",
  doc = "Matrix product as a map (Mars MatrixMul)",
  suite = "Mars",
  source = "He et al., PACT 2008 (Mars)",
  classes = { apcm = "CM" },
  params = { kit.param("n", 128, "Rows and columns", 4096), kit.block },
  sizes = { tiny = { n = 20 } },
  paper = "none: what APCM used is not known",
  loads = { mars_mm = { A = "inter coherent", B = "inter divergent",
                        task = "intra coherent" } },
  reference = { at = { n = 64 }, minst = 3.1, lines = 10.1, hits = { 91 },
                why = "the framework's own loads, of its directories of " ..
                      "inputs and outputs, are coherent and counted in " ..
                      "the reference; here a task is eight bytes" },
  run = run,
}
