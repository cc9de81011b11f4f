-- mergesort: sorting pairs by merging, mergeSort of the CUDA samples.

local kit = require "warploom.kit"

local part, sample = 1024, 128

local function run(dev, p)
  local n = part << p.doublings
  local samples = n // sample
  dev:module "mergesort.ptx"
  local keys = dev:array("u32", n):random(p.seed, 0, n)
  local values = kit.array(dev, "u32", n, function(i) return i end)
  local key, value = dev:upload(keys, "key"), dev:upload(values, "value")
  local to_key, to_value = kit.zeros(dev, "u32", n, "key"),
                           kit.zeros(dev, "u32", n, "value")
  local rank, cut = kit.zeros(dev, "i32", samples, "rank"),
                    kit.zeros(dev, "i32", 2 * samples, "cut")
  dev:launch("mergesort_part", { grid = n // part, block = part // 2,
                                 args = { key, value } })
  local length = part
  while length < n do
    kit.row(dev, "mergesort_rank", samples, p.block,
            { key, rank, length, samples })
    kit.row(dev, "mergesort_cut", samples, p.block,
            { key, rank, cut, length, samples })
    dev:launch("mergesort_merge", { grid = samples, block = sample,
      args = { key, value, to_key, to_value, cut, length } })
    key, value, to_key, to_value = to_key, to_value, key, value
    length = 2 * length
  end

  return function()
    -- Values say where pairs were: all different, with the key from there,
    -- in order, and equal keys (the sort is stable) in their old order.
    local want, seen = kit.list(keys), {}
    local k, v = kit.list(key), kit.list(value)
    for i = 0, n - 1 do
      local right = not seen[v[i]] and k[i] == want[v[i]] and
                    (i == 0 or k[i - 1] < k[i] or
                     k[i - 1] == k[i] and v[i - 1] < v[i])
      if not right then dev:check(false, "pair " .. i .. " is wrong") end
      seen[v[i]] = true
    end
    dev:verified "all pairs, equal keys in order"
  end
end

return {
  name = "mergesort",
  doc = "Sorting pairs by merging (CUDA samples mergeSort)",
  suite = "CUDA samples",
  source = "Satish, Harris and Garland, IPDPS 2009",
  classes = { twolevel = "named" },
  params = { kit.param("doublings", 4, "Of runs of 1024 elements", 12, 0),
             kit.block },
  sizes = { tiny = { doublings = 1 }, paper = { doublings = 12 } },
  paper = "the default of the CUDA sample",
  notes = "95 % of its loads miss in the L1 of the two-level paper.",
  loads = {
    mergesort_part = { key = "streaming coherent",
                       value = "streaming coherent" },
    mergesort_rank = { key = "intra divergent" },
    mergesort_cut = { rank = "intra coherent" },
    mergesort_merge = { key = "inter coherent",
                        value = "inter coherent",
                        cut = "mixed coherent" },
  },
  reference = { at = { doublings = 4 }, minst = 23.8, lines = 1.7,
                hits = { 41, 47, 49, 53 } },
  run = run,
}
