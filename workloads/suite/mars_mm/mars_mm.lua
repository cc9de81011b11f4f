-- mars_mm: matrix product as a map, after Mars.
--
-- Small whole numbers, exact sums, results compared bit for bit.

local loom = require "warploom"
local kit = require "warploom.kit"

local function run(dev, p)
  local n = p.n
  local m, k = p.rows > 0 and p.rows or n, p.columns > 0 and p.columns or n
  kit.exact(dev, k * 9)
  dev:module "mars_mm.ptx"
  local a, b = kit.whole(dev, m * k, p.seed), kit.whole(dev, n * k, p.seed + 1)
  local rows, wide = kit.mars.rows(dev, a, k)
  local da, db = dev:upload(rows, "A"),
                 dev:upload(kit.mars.rows(dev, b, k), "B")
  local task = kit.array(dev, "i32", 4 * m * n, function(i)
    return ({ [0] = i // 4 // n, i // 4 % n, m, wide })[i % 4]
  end)
  local key = ("<I8I8"):pack(da.address, db.address)
  local c = kit.mars.map_pairs(dev, {
    count = "mars_mm_count", map = "mars_mm", tasks = m * n,
    keys = kit.mars.upload(dev, key, "input_keys", m * n), key_bytes = #key,
    values = dev:upload(task, "input_values"), value_bytes = 16 })

  return function()
    local t = dev:array("f32", n * k)
    for i = 0, n - 1 do
      for j = 0, k - 1 do t[j * n + i] = b[i * k + j] end
    end
    kit.equal(dev, "C", kit.mars.as("f32", c), loom.matmul(a, t, m, k, n))
    dev:verified "C = A B^T, bit for bit"
  end
end

return {
  name = "mars_mm",
  doc = "Matrix product as a map (Mars MatrixMul)",
  suite = "Mars",
  source = "Mars",
  classes = { apcm = "CM" },
  params = { kit.param("n", 128, "Rows of B", 4096),
             kit.param("rows", 0, "Rows of A; 0: n", 4096, 0),
             kit.param("columns", 0, "Columns of both; 0: n", 4096, 0) },
  sizes = { tiny = { n = 20 },
            paper = { n = 432 } },
  paper = "by rule",
  notes = "A and B are loaded through pointers that are a task's key.",
  loads = kit.mars.pair_loads("mars_mm_count", "mars_mm", { mars_mm = {
    input_keys = "intra divergent", ["(loaded)"] = "inter divergent" } }),
  reference = { at = { n = 64 }, minst = 3.1, lines = 10.1, hits = { 91 } },
  run = run,
}
