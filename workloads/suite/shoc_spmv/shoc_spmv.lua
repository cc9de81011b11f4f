-- shoc_spmv: sparse matrix times vector, a row per thread, SHOC's spmv.
--
-- Small whole numbers, exact sums, results compared bit for bit.

local kit = require "warploom.kit"

local function run(dev, p)
  local n, random = p.rows, kit.random(p.seed)
  local start, total = dev:array("i32", n + 1), 0
  -- Elements are thrown at random, so that lengths differ by about the root.
  local spread = math.min(p.length - 1, (2 * p.length) ^ 0.5 // 1 | 0)
  kit.exact(dev, 2 * p.length * 9)
  for i = 0, n - 1 do
    start[i] = total
    total = total + p.length - spread + random(2 * spread + 1)
  end
  start[n] = total
  dev:module "shoc_spmv.ptx"
  local value = kit.whole(dev, total, p.seed + 1)
  local column = dev:array("i32", total):random(p.seed + 2, 0, n - 1)
  local x = kit.whole(dev, n, p.seed + 3)
  local y = kit.zeros(dev, "f32", n, "y")
  kit.row(dev, "shoc_spmv", n, p.block,
          { dev:upload(value, "value"), dev:upload(column, "column"),
            dev:upload(start, "start"), dev:upload(x, "x"), y, n })

  return function()
    local v, c, s, t = kit.list(value), kit.list(column), kit.list(start),
                       kit.list(x)
    kit.equal(dev, "y", y, kit.array(dev, "f32", n, function(i)
      local sum = 0
      for k = s[i], s[i + 1] - 1 do sum = sum + v[k] * t[c[k]] end
      return sum
    end))
    dev:verified "y = A x, bit for bit"
  end
end

return {
  name = "shoc_spmv",
  doc = "Sparse matrix times vector, a row per thread (SHOC spmv)",
  suite = "SHOC",
  source = "SHOC spmv",
  classes = { dacache = "divergent", twolevel = "cache-friendly" },
  params = { kit.param("rows", 5120, "Rows of the matrix", 1 << 20),
             kit.param("length", 40, "Mean length of a row", 4096),
             { name = "block", default = 128, min = 32, max = 1024,
               doc = "Threads per CTA" } },
  sizes = { tiny = { rows = 300, length = 9 },
            paper = { rows = 12288, length = 123 } },
  notes = "SHOC's matrices are one hundredth full.",
  loads = {
    shoc_spmv = { value = "streaming divergent", column = "streaming divergent",
                  start = "inter coherent", x = "inter divergent" },
  },
  reference = { at = { rows = 16384, length = 164 }, minst = 15.2,
                lines = 27.0, hits = { 1, 3, 6, 10 },
                why = "the 64 KB of x are reused by all rows, so that " ..
                      "loads of x hit more and more with the size; in the " ..
                      "modified program of the reference they do not, and " ..
                      "why is not known" },
  run = run,
}
