-- histogram64: histograms of bytes, histogram of the CUDA samples.

local kit = require "warploom.kit"

local function run(dev, p)
  local bytes = p.bytes
  dev:check(bytes % 16 == 0, "bytes must be a multiple of 16")
  dev:module "histogram64.ptx"
  local data = dev:array("u8", bytes):random(p.seed, 0, 255)
  local ddata = dev:upload(data, "data")
  -- A byte counts to 255: 15 vectors of 16 bytes for a thread.
  local many, few = math.max(kit.ceil(bytes // 16, 64 * 15), 1),
                    math.min(240, kit.ceil(bytes, 4 * 192))
  local part64 = kit.zeros(dev, "u32", many * 64, "partial")
  local part256 = kit.zeros(dev, "u32", few * 256, "partial")
  local h64, h256 = kit.zeros(dev, "u32", 64, "histogram"),
                    kit.zeros(dev, "u32", 256, "histogram")
  dev:launch("histogram64", { grid = many, block = 64,
                              args = { part64, ddata, bytes // 16 } })
  dev:launch("histogram_merge", { grid = 64, block = 256,
                                  args = { h64, part64, many, 64 } })
  dev:launch("histogram256", { grid = few, block = 192,
                               args = { part256, ddata, bytes // 4 } })
  dev:launch("histogram_merge", { grid = 256, block = 256,
                                  args = { h256, part256, few, 256 } })

  return function()
    local a, b = {}, {}
    for i = 0, 63 do a[i] = 0 end
    for i = 0, 255 do b[i] = 0 end
    for i = 0, bytes - 1 do
      local v = data[i]
      a[v // 4], b[v] = a[v // 4] + 1, b[v] + 1
    end
    kit.equal(dev, "histogram of 64", h64, a)
    kit.equal(dev, "histogram of 256", h256, b)
    dev:verified "both histograms"
  end
end

return {
  name = "histogram64",
  doc = "Histograms of 64 and 256 bins (CUDA samples histogram)",
  suite = "CUDA samples",
  source = "CUDA samples histogram",
  classes = { loscache = "named" },
  params = { kit.param("bytes", 524288, "Bytes that are counted", 1 << 28,
                       16) },
  sizes = { tiny = { bytes = 4096 }, paper = { bytes = 67108864 } },
  paper = "LoSCache: \"default inputs\"",
  loads = {
    histogram64 = { data = "streaming divergent" },
    histogram256 = { data = "streaming coherent" },
    histogram_merge = { partial = "inter divergent" },
  },
  reference = { at = { bytes = 524288 }, minst = 30.0, lines = 9.9,
                hits = { 2, 39, 49, 51 },
                why = "the merge reads 240 lines that are 1 KB apart, as " ..
                      "many as 32 KB hold but 16, so that all depends on " ..
                      "how evenly the set index spreads them, and the " ..
                      "reference's is not known: 47 % polynomial or " ..
                      "folded, 24 random, 2 modulo" },
  run = run,
}
