-- How much of the dense peak a tiled GEMM of ours reaches: cublasGemmEx's
-- kernel of bf16 by mma.sync (cuda/blas/kernels), two CTAs of 128 x 128 on each
-- SM, or one by wgmma (wgmma_gemm.cu), of 128 x 256, for Hopper.  The product
-- is made with two k; what the longer one takes more is the loop, without
-- launch, cold start and stores.
--   warploom --unsafe run -q tests/silicon/gemm.lua --set preset=a100
--   warploom --unsafe run -q tests/silicon/gemm.lua --set preset=h200
--     --set by=wgmma
local loom = require "warploom"

local preset = loom.option { name = "preset", default = "a100",
                             doc = "The machine" }
local sms = loom.option { name = "sms", default = 0, min = 0,
                          doc = "SMs that it has; 0: as it is" }
local few = loom.option { name = "few", default = 512, min = 32,
                          doc = "The smaller k" }
local many = loom.option { name = "many", default = 1536, min = 64,
                           doc = "The larger k" }
local by = loom.option { name = "by", default = "mma",
                         choices = { "mma", "wgmma" },
                         doc = "Instructions that multiply" }
local limit = loom.option { name = "limit", default = 0.0, min = 0,
                            doc = "Fail if the share is less" }

-- FMA of bf16 per cycle and SM, dense: whitepapers; and by mma.sync.
local peaks = { a100 = { 1024, 1024 }, h100 = { 2048, 1365 },
                h200 = { 2048, 1365 }, h100_pcie = { 2048, 1365 } }
local kernel = "gemm_bf16_tn_128x128"

local function machine()
  return loom.preset[preset](sms > 0 and { sm_count = sms } or {})
end

-- struct gemm of cuda/blas/kernels/gemm.cuh; A is m by k, transposed.
local function request(a, b, d, m, n, k)
  local bf16_aligned, f32, bf16 = 2 | 4, 0, 14
  return string.pack(
    "<I8I8I8I8 i8i8i8i8 I8I8 fxxxx fxxxx I8I8 i8i8 i4i4i4i4i4i4i4i4 " ..
    "i4i4i4i4 i4i4", a.address, b.address, d.address, d.address, 0, 0, 0, 0, 0,
    0, 1.0, 0.0, 0, 0, 0, 0, m, n, k, k, k, m, m, m, bf16, f32, bf16, bf16,
    bf16_aligned, 0)
end

-- What launches the product: m, n, k, and the three matrices.
local kernels = {
  mma = function(dev, m, n, k, a, b, d)
    dev:module "../../cuda/blas/kernels/gemm_bf16.ptx"
    dev:launch(kernel, { grid = { m // 128, n // 128 }, block = 128,
                         args = { request(a, b, d, m, n, k) } })
  end,
  wgmma = function(dev, m, n, k, a, b, d)
    dev:module "wgmma_gemm.ptx"
    dev:launch("gemm_wgmma", { grid = { n // 256, m // 128 }, block = 256,
                               shared = 4 * (128 + 256) * 128 + 1024,
                               args = { a, b, d, n, k } })
  end,
}
local rows = by == "mma" and 256 or 128 -- of D, of an SM
local columns = by == "mma" and 128 or 256

local function cycles(k)
  local g = machine()
  local m, n = rows, columns * #g.sm
  local run = loom.run { machine = g, memory = "16GiB",
    workload = loom.workload { name = "gemm", run = function(dev)
      local a = dev:alloc({ type = "u32", count = m * k // 2 }, "a")
      local b = dev:alloc({ type = "u32", count = n * k // 2 }, "b")
      local d = dev:alloc({ type = "u32", count = m * n }, "d")
      kernels[by](dev, m, n, k, a, b, d)
    end } }
  return run.kernels[1].seconds * g.clock, #g.sm
end

local short, count = cycles(few)
local long = cycles(many)
local rate = rows * columns * (many - few) / (long - short)
local peak = assert(peaks[preset], "no peak is known of this preset")
print(("%s, %d SMs: %.0f FMA of bf16 per cycle and SM, %.1f %% of the dense " ..
       "peak, %.1f %% of mma.sync"):format(preset, count, rate,
                                           100 * rate / peak[1],
                                           100 * rate / peak[2]))
if rate < limit * peak[1] then error "less than the limit" end
