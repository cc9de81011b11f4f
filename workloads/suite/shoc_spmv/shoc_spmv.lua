-- shoc_spmv: sparse matrix times vector, a row per thread, SHOC's spmv.
--
-- Small whole numbers, exact sums, results compared bit for bit.

local kit = require "warploom.kit"

-- The columns of each row in order, as they lie in a matrix that was made row
-- by row.
local function in_rows(column, start)
  for i = 0, #start - 2 do
    local row, first = {}, start[i]
    for k = first, start[i + 1] - 1 do row[k - first + 1] = column[k] end
    table.sort(row)
    for k, c in ipairs(row) do column[first + k - 1] = c end
  end
  return column
end

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
  local column = in_rows(dev:array("i32", total):random(p.seed + 2, 0, n - 1),
                         start)
  local x = kit.whole(dev, n, p.seed + 3)
  local dx = dev:texture { buffer = dev:upload(x, "x"), width = n }
  local y = kit.zeros(dev, "f32", n, "y")
  kit.row(dev, "shoc_spmv", n, p.block,
          { dev:upload(value, "value"), dev:upload(column, "column"),
            dev:upload(start, "start"), dx, y, n })

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
             kit.param("block", 128, "Threads per CTA", 1024, 32) },
  sizes = { tiny = { rows = 300, length = 9 },
            paper = { rows = 1024, length = 10 } },
  paper = "DaCache: \"default\" (class 1 of four); 12288 rows are its " ..
          "class 3",
  notes = "SHOC's matrices are one hundredth full. x is fetched through a " ..
          "texture, as there, so that the L1 sees the rows only.",
  loads = {
    shoc_spmv = { value = "streaming divergent", column = "streaming divergent",
                  start = "inter coherent" },
  },
  reference = { at = { rows = 16384, length = 164 }, minst = 15.2,
                lines = 27.0, hits = { 1, 3, 6, 10 } },
  run = run,
}
