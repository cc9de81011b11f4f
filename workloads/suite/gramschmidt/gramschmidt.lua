-- gramschmidt: QR decomposition, PolyBench's GRAMSCHM.

local loom = require "warploom"
local kit = require "warploom.kit"

-- Columns of Q, and R, in double precision.
local function reference(a, n, m)
  local column, q, r = {}, {}, {}
  for j = 0, m - 1 do
    column[j] = {}
    for i = 0, n - 1 do column[j][i] = a[i * m + j] end
  end
  for i = 0, m * m - 1 do r[i] = 0 end
  for k = 0, m - 1 do
    local c, norm = column[k], 0
    for i = 0, n - 1 do norm = norm + c[i] * c[i] end
    norm = norm ^ 0.5
    r[k * m + k] = norm
    for i = 0, n - 1 do
      c[i] = c[i] / norm
      q[i * m + k] = c[i]
    end
    for j = k + 1, m - 1 do
      local d, sum = column[j], 0
      for i = 0, n - 1 do sum = sum + c[i] * d[i] end
      for i = 0, n - 1 do d[i] = d[i] - c[i] * sum end
      r[k * m + j] = sum
    end
  end
  return q, r
end

local function transposed(dev, a, n, m)
  local t = dev:array("f32", n * m)
  for i = 0, n - 1 do
    for j = 0, m - 1 do t[j * n + i] = a[i * m + j] end
  end
  return t
end

-- What makes Q and R the decomposition of A: A = Q R, columns of Q that are
-- orthonormal, and nothing below the diagonal of R.
local function check_properties(dev, a, q, r, n, m)
  local unit = dev:array("f32", m * m)
  for j = 0, m - 1 do unit[j * m + j] = 1 end
  for i = 1, m - 1 do
    for j = 0, i - 1 do
      if r[i * m + j] ~= 0 then dev:check(false, "R is not triangular") end
    end
  end
  kit.close(dev, "Q R", loom.matmul(q, r, n, m, m), a, 1e-4)
  kit.close(dev, "Q^T Q", loom.matmul(transposed(dev, q, n, m), q, m, n, m),
            unit, 1e-3)
end

local function run(dev, p)
  local n, m = p.rows, p.columns
  dev:check(n >= m, "needs at least as many rows as columns")
  dev:module "gramschmidt.ptx"
  -- Columns of a random matrix are far from dependent if there are twice as
  -- many rows; otherwise its diagonal is made to dominate.
  local a = kit.real(dev, n * m, p.seed)
  for j = 0, n < 2 * m and m - 1 or -1 do
    a[j * m + j] = a[j * m + j] + m
  end
  local da = dev:upload(a, "a")
  local q, r = kit.zeros(dev, "f32", n * m, "q"),
               kit.zeros(dev, "f32", m * m, "r")
  for k = 0, m - 1 do
    dev:launch("gramschmidt_norm", { grid = 1, block = p.block,
                                     args = { n, m, da, r, k } })
    kit.row(dev, "gramschmidt_divide", n, p.block, { n, m, da, r, q, k })
    kit.row(dev, "gramschmidt_subtract", m, p.block, { n, m, da, r, q, k })
  end

  return function()
    if n * m * m > 50000000 then -- minutes in Lua
      check_properties(dev, a, q:download(), r:download(), n, m)
      dev:verified "Q R = A to 1e-4, Q^T Q = 1 to 1e-3, R is triangular"
      return
    end
    local wq, wr = reference(kit.list(a), n, m)
    kit.close(dev, "q", q, wq, 1e-3)
    kit.close(dev, "r", r, wr, 1e-3)
    dev:verified "Q and R, to 1e-3"
  end
end

return {
  name = "gramschmidt",
  doc = "QR decomposition by Gram-Schmidt (PolyBench GRAMSCHM)",
  suite = "PolyBench",
  source = "PolyBench GRAMSCHM",
  classes = { dacache = "coherent" },
  params = { kit.param("rows", 128, "Rows", 4096),
             kit.param("columns", 64, "Columns", 4096), kit.block },
  sizes = { tiny = { rows = 24, columns = 12 },
            paper = { rows = 2048, columns = 2048 } },
  paper = "DaCache: \"default\"",
  notes = "One CTA does most of the work, as in the published benchmark at " ..
          "up to 256 columns. With fewer than twice as many rows as " ..
          "columns the diagonal dominates, so that columns are independent.",
  loads = {
    gramschmidt_norm = { a = "streaming coherent" },
    gramschmidt_divide = { a = "inter divergent", r = "inter coherent" },
    gramschmidt_subtract = { a = "mixed coherent", q = "inter coherent",
                             r = "intra coherent" },
  },
  reference = { at = { rows = 128, columns = 128 }, minst = 13.8,
                lines = 1.1, hits = { 44, 49, 58, 75 } },
  run = run,
}
