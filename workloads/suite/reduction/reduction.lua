-- reduction: the sum of an array, by trees in shared memory.
--
-- Small whole numbers: the sum is exact in single precision in any order.

local kit = require "warploom.kit"

local function run(dev, p)
  local n = p.n

  dev:check(n * 3 < 1 << 24, "the sum would not be exact in f32")
  dev:module "reduction.ptx"
  local input = dev:array("f32", n):random(p.seed, 0, 4, 1)
  local from = dev:upload(input, "input")
  local ctas = math.min((n + 255) // 256, p.ctas)
  local to = dev:alloc({ type = "f32", count = ctas }, "partial")
  local count = n

  while count > 1 do
    dev:launch("reduction", { grid = ctas, block = 256,
                              args = { from, to, count } })
    count, from = ctas, to
    if count > 1 then
      ctas = (count + 255) // 256
      to = dev:alloc({ type = "f32", count = ctas }, "partial")
    end
  end

  return function()
    local sum = from:download()[0]
    dev:check(sum == input:sum(), ("the sum is %.9g, expected %.9g"):format(
              sum, input:sum()))
    dev:verified "sum, bit for bit"
  end
end

return {
  name = "reduction",
  doc = "Sum of an array by trees in shared memory",
  sizes = { tiny = { n = 3000, ctas = 6 } },
  params = {
    kit.param("n", 1048576, "Elements", 1 << 22, 2),
    kit.param("ctas", 240, "CTAs of the first launch", 65535),
  },
  run = run,
}
