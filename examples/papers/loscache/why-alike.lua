-- Section III's observation, measured: how alike the lines of one instruction
-- are.  Of the data that lived in the L2 of the baseline, how much was accessed
-- as often as most data of the same kernel and instruction (that of its last
-- access).  No predictor with one number per instruction is exact for more.
--   warploom sweep examples/papers/loscache/why-alike.lua -j 2
-- The observer is in Lua, so that it takes minutes: the 14 named programs.
local loom = require "warploom"
local common = require "common"

local MANY = 63 -- where LoSCache's counters end

-- How often each count of accesses was seen, by kernel and instruction.
local function note(seen, one)
  local key = one.kernel << 32 | one.inst
  local counts = seen[key] or {}
  seen[key] = counts
  local count = math.min(one.count, MANY)
  counts[count] = (counts[count] or 0) + 1
end

local function touch(e, self)
  local one = self.line[e.set * self.shape.ways + e.way]
  if not one then return end
  local r = e.request
  one.count = one.count + 1
  one.shared = one.shared or r.cta ~= one.cta or r.kernel ~= one.kernel
  one.kernels = one.kernels or r.kernel ~= one.kernel
  one.kernel, one.inst, one.cta = r.kernel, r.inst, r.cta
end

local function add(sums, one)
  sums.lines = sums.lines + 1
  sums.once = sums.once + (one.count == 1 and 1 or 0)
  sums.limit = sums.limit + (one.count >= MANY and 1 or 0)
  sums.shared = sums.shared + (one.shared and 1 or 0)
  sums.kernels = sums.kernels + (one.kernels and 1 or 0)
end

local names = { "lines", "once", "limit", "shared", "kernels" }
local stats = { alike = { kind = "gauge", unit = "line",
                          doc = "Accessed as often as most of their " ..
                                "instruction" } }
for _, name in ipairs(names) do
  stats[name] = { kind = "gauge", unit = "line", doc = "Lines: " .. name }
end

local similarity = loom.policy {
  name = "similarity",
  doc = "Observes how alike the lines of an instruction are accessed",
  stats = stats,
  init = function(self)
    self.line, self.seen, self.left = {}, {}, {}
    for _, name in ipairs(names) do self.left[name] = 0 end
  end,
  observe = {
    allocate = function(e, self)
      local r = e.request
      self.line[e.set * self.shape.ways + e.way] =
        { count = 1, kernel = r.kernel, inst = r.inst, cta = r.cta }
    end,
    hit = touch, pending_hit = touch,
    evict = function(e, self)
      local i = e.set * self.shape.ways + e.way
      if self.line[i] then
        note(self.seen, self.line[i])
        add(self.left, self.line[i])
        self.line[i] = nil
      end
    end,
  },
  -- What is still there counts as if it left now.
  settle = function(_, self)
    local seen, sums = {}, {}
    for key, counts in pairs(self.seen) do
      seen[key] = {}
      for count, n in pairs(counts) do seen[key][count] = n end
    end
    for name, n in pairs(self.left) do sums[name] = n end
    for _, one in pairs(self.line) do
      note(seen, one)
      add(sums, one)
    end
    local alike = 0
    for _, counts in pairs(seen) do
      local most = 0
      for _, n in pairs(counts) do most = math.max(most, n) end
      alike = alike + most
    end
    for name, n in pairs(sums) do self.stats[name] = n end
    self.stats.alike = alike
  end,
}

local function share(name, doc)
  return { doc = doc, value = function(run)
    local s = run.stats "gpu/l2/policy/similarity"
    return s[name] / s.lines
  end }
end

return common.experiment {
  name = "loscache_why_alike",
  doc = "How alike the lines of one instruction are",
  benches = common.named, schemes = { "baseline" }, watch = similarity {},
  metrics = {
    alike = share("alike", "Lines accessed as often as most of their " ..
                           "kernel's and instruction's"),
    once = share("once", "Lines accessed once"),
    limit = share("limit", "Lines accessed 63 times or more"),
    shared = share("shared", "Lines that more than one CTA accessed"),
    kernels = share("kernels", "Lines that more than one kernel accessed"),
    lines = { unit = "line", doc = "Lines that had data", value = function(run)
      return run.stats "gpu/l2/policy/similarity".lines
    end },
  },
  derive = {
    mean = function(t) return t.alike:mean "bench" end,
    mean_kernels = function(t) return t.kernels:mean "bench" end,
  },
}
