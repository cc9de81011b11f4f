-- A run of a second or so: Lua before it, kernels, and Lua after it.
local loom = require "warploom"

local function compute(count)
  local sum = 0
  for i = 1, count do sum = sum + 1 / i end
  return sum
end

compute(3000000)
loom.run {
  machine = loom.preset.gtx480 { sm_count = 4 },
  workload = loom.suite.gemm { n = 192, m = 192, k = 192 },
  stats = { file = "x.h5", flush = "50ms",
            series = { s = { every = "10us", select = "**.l1d.*" } } },
}
compute(3000000)
