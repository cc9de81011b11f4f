-- Figures 5 and 6: bandwidth of loads around the L1 that are 4-way coalesced,
-- a thread block on each SM, on the whole machine; and of shared memory.
local loom = require "warploom"
local common = require "common"

local M = {}

-- Of DRAM's data, so much more than the L2 that what remains there does not
-- count; and the loads of a thread that are under way.
local dram_bytes = (common.tiny and 4 or 16) << 20
M.ahead, M.chains = { L2 = 1, DRAM = 2 }, 1

local function params(memory, blocks, threads)
  local warps = threads // 32
  local set = blocks * warps * 8 * 128
  local p = { ways = 4, ahead = M.ahead[memory], ctas = blocks, warps = warps,
              verify = false, sets = 2, passes = 3 }
  if memory == "DRAM" then
    p.sets, p.passes = (dram_bytes + set - 1) // set, 1
  end
  return p, set
end

local function workload(memory, blocks, threads)
  if memory == "shared" then
    return loom.suite.micro_shared { warps = threads // 32,
                                     chains = M.chains }
  end
  return loom.suite.micro_ways((params(memory, blocks, threads)))
end

-- Bytes that the last launch moves more than the one before it.  The network
-- moves pieces of 32, of which 4 lanes use half.
local function bytes(memory, blocks, threads)
  if memory == "shared" then return M.chains * 128 * 4 * threads end
  local p, set = params(memory, blocks, threads)
  return p.passes * p.sets * set
end

local function seconds(run)
  local k = run.kernels
  return k[#k].seconds - k[#k - 1].seconds
end

function M.experiment(spec)
  spec.order = { "memory", "blocks", "threads" }
  spec.base = function(p)
    return { machine = loom.preset.titan_black {},
             workload = workload(p.memory, p.blocks, p.threads) }
  end
  spec.metrics = { seconds = { unit = "s", doc = "Time of the passes",
                               value = seconds } }
  spec.derive = spec.derive or {}
  spec.derive.gbytes = function(t)
    return t.seconds:map(function(time, names)
      return bytes(names.memory, tonumber(names.blocks),
                   tonumber(names.threads)) / time / 1e9
    end)
  end
  spec.differs = spec.differs or "one load of a thread is under way, two " ..
    "from DRAM, whose limit one cannot reach; the paper does not say how " ..
    "many its program has"
  return loom.experiment(spec)
end

-- From where on a curve over one axis is within 5 % of its largest value.
function M.bend(curve, axis)
  local rows, most = curve.rows, 0
  for _, row in ipairs(rows) do most = math.max(most, row.value) end
  for _, row in ipairs(rows) do
    if row.value >= 0.95 * most then
      return tonumber(row.names[axis])
    end
  end
end

M.threads = common.tiny and { 128, 512, 1024 } or
            { 128, 256, 384, 512, 640, 768, 896, 1024 }
M.blocks = common.tiny and { 1, 2, 10, 15 } or
           { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 }

return M
