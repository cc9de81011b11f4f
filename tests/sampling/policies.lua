-- Speedups of policies, sampled and in full: both runs of a pair, the one with
-- the policy and the one without, are sampled or not.
--
--   WARPLOOM_PATH=tests/sampling warploom sweep tests/sampling/policies.lua \
--       -o FOLDER -j 1 --csv
--
-- Each policy on its paper's machine; of LoSCache it is the L2's energy.
local loom = require "warploom"
local inputs = require "inputs"

local params = {}
for _, case in ipairs(inputs) do params[case[1]] = case[2] end
-- An SM of S-L1's machine.
params.sl1_upper = { threads = 2048, chunk = 2000 }
params.sl1_wc = { threads = 2048, chunk = 2000 }

local function l1d(policy)
  return function(gpu) gpu:each "sm[*].l1d":attach(policy) end
end
local function no_l1(gpu) gpu:each "sm[*].l1d":attach(loom.no_l1 {}) end

-- Policy: its machine, what it is beside, and what it is.
local policies = {
  { "apcm", "apcm1", nil, l1d(loom.apcm {}) },
  { "swl", "apcm1", nil, function(gpu)
    gpu:each "sm[*]":attach(loom.swl { warps = 8 })
  end },
  { "pcal", "apcm1", nil, l1d(loom.pcal { warps = 48, tokens = 8 }) },
  { "ccws", "apcm1", nil, l1d(loom.ccws {}) },
  { "dacache", "dacache", l1d(loom.lru {}), l1d(loom.dacache {}) },
  { "two_level", "gtx1080_56", nil, l1d(loom.two_level {}) },
  { "loscache", "loscache", function(gpu)
    gpu:each "l2[*]":attach(loom.ideal_gating {})
  end, function(gpu)
    gpu:each "sm[*].l1d":attach(loom.loscache {})
    gpu:each "l2[*]":attach(loom.loscache_l2 {})
  end },
  { "sl1", "titan_black", no_l1, no_l1, loom.sl1 { line = 16 } },
}
local benches = { "bfs", "btree", "kmeans", "conv2d", "spmv", "sssp",
                  "mergesort", "stencil2d" }
local own = { sl1 = { "sl1_upper", "sl1_wc" } }

local names, by, pairs_of = {}, {}, {}
for i, one in ipairs(policies) do
  names[i], by[one[1]] = one[1], one
  for _, bench in ipairs(own[one[1]] or benches) do
    pairs_of[one[1] .. " " .. bench] = true
  end
end
local all = table.move(own.sl1, 1, #own.sl1, #benches + 1,
                       table.move(benches, 1, #benches, 1, {}))

return loom.experiment {
  name = "sampling_policies",
  doc = "Speedups of policies, sampled and in full",
  order = { "policy", "bench", "scheme", "mode" },
  axes = { policy = names, bench = all, scheme = { "without", "with" },
           mode = { "full", "sampled" } },
  filter = function(p) return pairs_of[p.policy .. " " .. p.bench] end,
  base = function(p)
    local one = by[p.policy]
    local spec = one[1] == "sl1" and { sm_count = 1, channel_count = 1 } or {}
    local gpu = loom.preset[one[2]](spec)
    local attach = one[p.scheme == "with" and 4 or 3]
    if attach then attach(gpu) end
    return { machine = gpu, workload = loom.suite[p.bench](params[p.bench]),
             transform = p.scheme == "with" and one[5] or nil,
             sample = p.mode == "sampled" or nil,
             energy = one[1] == "loscache" and
                      loom.energy { node = 40, level = "raw" } or nil }
  end,
  metrics = {
    -- What is compared: cycles, or energy.
    cost = { value = function(run)
      return run.energy and run.stats "gpu/l2".energy or run.cycles
    end },
    insts = { value = function(run) return run.warp_insts end },
    left = { value = function(run) return run.sampled or 0 end },
    host = { value = function(run) return run.busy end, unit = "second" },
  },
}
