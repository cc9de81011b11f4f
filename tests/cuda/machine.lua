-- The machine of these tests: a GTX 480, with a host link if asked for.
local loom = require "warploom"

local link = loom.option { name = "link", default = false,
                           doc = "Copies take time, kernels overlap" }
local sms = loom.option { name = "sms", default = 15, doc = "SMs" }
local gpu = loom.preset.gtx480 { sm_count = sms }
if link then
  gpu.concurrent_kernels = 4
  gpu.host = loom.host { concurrent_kernels = 4, copy_engines = 2,
                         copy_bandwidth = "6GB/s" }
  loom.link(gpu.host, gpu)
end
return gpu
