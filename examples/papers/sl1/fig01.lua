-- Figure 1: the hit ratio of the hardware L1 in wc against threads of an SM.
local common = require "common"

local threads = {}
for _, n in ipairs { 32, 64, 96, 128, 192 } do threads[#threads + 1] = n end
for _, n in ipairs(common.threads) do
  if n > 192 then threads[#threads + 1] = n end
end

return common.experiment {
  name = "sl1_fig01",
  doc = "Hits of the hardware L1 in wc, by threads of an SM",
  benches = { "sl1_wc" }, schemes = { "l1" }, threads = threads,
  metrics = { "l1_hits" },
  derive = {
    hits = function(t)
      return t.l1_hits:at { bench = "sl1_wc", scheme = "l1" }
    end,
  },
  figures = { { column = "hits", by = "threads", y = "L1 hits per look-up" } },
}
