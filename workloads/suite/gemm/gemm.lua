-- gemm: C = alpha A B + beta C in 16 x 16 tiles through shared memory.
--
-- Small whole numbers, exact sums, results compared bit for bit.

local loom = require "warploom"
local kit = require "warploom.kit"

local function run(dev, p)
  local n, m, k = p.n, p.m, p.k
  local alpha, beta = 2, 3
  local function small(count, seed)
    return dev:array("f32", count):random(seed, 0, 4, 1)
  end

  dev:check(n % 16 == 0 and m % 16 == 0 and k % 16 == 0,
            "n, m and k must be multiples of 16")
  dev:module "gemm.ptx"
  local a, b, c = small(n * k, p.seed), small(k * m, p.seed + 1),
                  small(n * m, p.seed + 2)
  local da, db, dc = dev:upload(a, "A"), dev:upload(b, "B"),
                     dev:upload(c, "C")

  dev:launch("gemm", { grid = { m // 16, n // 16 }, block = { 16, 16 },
                       args = { m, k, alpha, beta, da, db, dc } })

  return function()
    local product = loom.matmul(a, b, n, k, m)
    local want = dev:array("f32", n * m):map(function(_, i)
      return alpha * product[i] + beta * c[i]
    end)
    dev:check(dc:download():equals(want), "C differs from the CPU's")
    dev:verified "C = alpha A B + beta C, bit for bit"
  end
end

return {
  name = "gemm",
  doc = "Matrix product in shared-memory tiles",
  sizes = { tiny = { n = 32, m = 48, k = 32 } },
  params = {
    kit.param("n", 256, "Rows of C", 4096, 16),
    kit.param("m", 256, "Columns of C", 4096, 16),
    kit.param("k", 256, "Columns of A, rows of B", 4096, 16),
  },
  run = run,
}
