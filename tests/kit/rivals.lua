-- Policies of the tree, written again in Lua.  A machine with one of them must
-- count what a machine with its rival in C counts, everywhere.
--
-- Each entry: the C policy, and a function that makes the one in Lua.

local loom = require "warploom"

local rivals = {}

local function lowest(mask)
  local n = 0
  while mask & 1 == 0 do mask, n = mask >> 1, n + 1 end
  return n
end

local function count(mask)
  local n = 0
  while mask ~= 0 do mask, n = mask & (mask - 1), n + 1 end
  return n
end

-- lru and fifo: the way with the smallest stamp leaves.
local function stamped(name, on_hit)
  local function stamp(_, set, way, self)
    self.clock = self.clock + 1
    self.stamp[set * self.shape.ways + way] = self.clock
  end
  return loom.policy {
    name = name, stats = { victims = "Lines chosen" },
    init = function(self) self.clock, self.stamp = 0, {} end,
    replacement = {
      inserted = stamp, hit = on_hit and stamp or nil,
      victim = function(_, set, ways, self)
        local base, best = set * self.shape.ways, nil
        for _, way in ipairs(ways) do
          if not best or
             self.stamp[base + way] < self.stamp[base + best] then
            best = way
          end
        end
        self.stats.victims = self.stats.victims + 1
        return best
      end,
    },
  }
end

function rivals.lru() return stamped("lua_lru", true) end
function rivals.fifo() return stamped("lua_fifo", false) end

function rivals.gto()
  return loom.policy {
    name = "lua_gto",
    init = function(self)
      self.greedy, self.age = {}, {}
      for s = 0, 63 do self.age[s] = {} end
    end,
    scheduler = {
      pick = function(scheduler, ready, _, self)
        local greedy, best = self.greedy[scheduler], nil
        if greedy and ready >> greedy & 1 == 1 then return greedy end
        local age = self.age[scheduler]
        while ready ~= 0 do
          local one = lowest(ready)
          if not best or age[one] < age[best] then best = one end
          ready = ready & (ready - 1)
        end
        return best
      end,
      rank = function(scheduler, which, self)
        local age, rank = self.age[scheduler], 0
        for other, when in pairs(age) do
          if other ~= which and when < (age[which] or 0) then
            rank = rank + 1
          end
        end
        return rank
      end,
      issued = function(scheduler, which, _, self)
        self.greedy[scheduler] = which
      end,
      started = function(scheduler, which, age, self)
        self.age[scheduler][which] = age
      end,
      finished = function(scheduler, which, self)
        if self.greedy[scheduler] == which then
          self.greedy[scheduler] = nil
        end
        self.age[scheduler][which] = nil
      end,
    },
  }
end

function rivals.lrr()
  return loom.policy {
    name = "lua_lrr",
    init = function(self) self.from, self.started = {}, {} end,
    scheduler = {
      pick = function(scheduler, ready, _, self)
        local from = self.from[scheduler] or 0
        local first = ready >> from << from
        return lowest(first ~= 0 and first or ready)
      end,
      rank = function(scheduler, which, self)
        local from = self.from[scheduler] or 0
        local started = self.started[scheduler] or 0
        local below = started & ((1 << which) - 1)
        if which >= from then return count(below >> from) end
        return count(started >> from) + count(below)
      end,
      issued = function(scheduler, which, _, self)
        self.from[scheduler] = (which + 1) % 64
      end,
      started = function(scheduler, which, _, self)
        self.started[scheduler] = (self.started[scheduler] or 0) | 1 << which
      end,
      finished = function(scheduler, which, self)
        self.started[scheduler] = self.started[scheduler] & ~(1 << which)
      end,
    },
  }
end

function rivals.linear_index()
  return loom.policy {
    name = "lua_linear_index",
    set_index = function(line, self)
      return line // self.shape.line_bytes % self.shape.sets
    end,
  }
end

function rivals.round_robin()
  return loom.policy {
    name = "lua_round_robin",
    init = function(self) self.from = 0 end,
    dispatch = function(view, self)
      local fits, sms = view.fits, view.sms
      for i = 0, sms - 1 do
        local sm = (self.from + i) % sms
        if fits[sm] then
          self.from = (sm + 1) % sms
          return sm
        end
      end
    end,
  }
end

function rivals.sector_coalesce()
  return loom.policy {
    name = "lua_sector_coalesce",
    coalesce = function(lanes) return lanes:segments(32) end,
  }
end

function rivals.fifo_order()
  return loom.policy {
    name = "lua_fifo_order",
    order = { queues = 1, depth = 1, queue_of = function() return 0 end,
              next = function() return 0 end },
  }
end

function rivals.direct_route()
  return loom.policy {
    name = "lua_direct_route",
    routing = function(_, _, destination) return destination end,
  }
end

function rivals.round_robin_arbiter()
  return loom.policy {
    name = "lua_round_robin_arbiter",
    init = function(self) self.turn = {} end,
    arbiter = {
      pick = function(output, inputs, _, self)
        local turn = self.turn[output] or 0
        for _, input in ipairs(inputs) do
          if input >= turn then return input end
        end
        return inputs[1]
      end,
      granted = function(output, input, self)
        self.turn[output] = (input + 1) % self.shape.inputs
      end,
    },
  }
end

function rivals.fcfs()
  return loom.policy {
    name = "lua_fcfs",
    schedule = function(view)
      local legal = view.column | view.activate | view.precharge
      if legal >> view.oldest & 1 == 1 then return view.oldest end
    end,
  }
end

function rivals.closed_page()
  return loom.policy {
    name = "lua_closed_page", params = { idle = { default = 0 } },
    page = function(_, _, now, self) return now + self.params.idle end,
  }
end

function rivals.linear_map()
  return loom.policy {
    name = "lua_linear_map",
    params = { interleave = 256, burst_bytes = 64, columns = 64, banks = 16 },
    map = function(address, self)
      local p, s = self.params, self.shape
      local piece, offset = address // p.interleave, address % p.interleave
      local inner = piece // s.channels
      local burst = (inner * p.interleave + offset) // p.burst_bytes
      local channel = piece % s.channels
      return {
        channel = channel,
        slice = channel * s.slices_per_channel + inner % s.slices_per_channel,
        ["local"] = inner // s.slices_per_channel * p.interleave + offset,
        column = burst % p.columns, bank = burst // p.columns % p.banks,
        row = burst // p.columns // p.banks,
      }
    end,
  }
end

-- The miss-rate threshold bypass, whole.
function rivals.miss_rate_bypass()
  local CACHE, SAMPLE, BYPASS = 0, 1, 2
  local names = { [0] = "cache", "sample", "bypass" }

  local function enter(self, mode, at, cycles)
    local stats = self.stats
    if at > self.counted then
      local name = names[self.mode]
      stats.mode_cycles[name] = stats.mode_cycles[name] + at - self.counted
      self.counted = at
    end
    self.mode, stats.mode = mode, mode
    self.until_cycle = cycles > 0 and at + cycles or math.maxinteger
  end

  local function sample(self, at)
    self.accesses, self.misses = 0, 0
    enter(self, SAMPLE, at, self.params.window_cycles)
  end

  local function decide(self, at)
    local p, stats = self.params, self.stats
    local few = self.accesses < p.min_accesses
    local bypass = self.misses > p.threshold * self.accesses
    if few then bypass = p.few == "bypass" end
    stats.windows = stats.windows + 1
    if few then stats.few_decisions = stats.few_decisions + 1 end
    local key = bypass and "bypass_decisions" or "cache_decisions"
    stats[key] = stats[key] + 1
    enter(self, bypass and BYPASS or CACHE, at, p.hold_cycles)
  end

  local function advance(self, now)
    while self.until_cycle <= now do
      if self.mode == SAMPLE then
        decide(self, self.until_cycle)
      else
        sample(self, self.until_cycle)
      end
    end
  end

  local function seen(e, self)
    advance(self, self:now())
    local kind = e.request.kind
    if self.mode ~= SAMPLE or kind ~= "load" and
       not (kind == "store" and self.params.count_stores) then
      return
    end
    self.accesses = self.accesses + 1
    self.stats.sampled_accesses = self.stats.sampled_accesses + 1
    if e.kind == "miss" or
       e.kind == "pending_hit" and self.params.pending_hits_miss then
      self.misses = self.misses + 1
      self.stats.sampled_misses = self.stats.sampled_misses + 1
    end
  end

  return loom.policy {
    name = "lua_miss_rate_bypass",
    params = { threshold = 0.9, window_cycles = 5000, hold_cycles = 95000,
               restart = "never", min_accesses = 1, few = "bypass",
               pending_hits_miss = true, count_stores = false,
               fetch_bytes = 32, merge = false },
    stats = {
      mode = { kind = "gauge" },
      mode_cycles = { kind = "vector", axis = "mode", unit = "cycle",
                      keys = { "cache", "sample", "bypass" } },
      windows = "", bypass_decisions = "", cache_decisions = "",
      few_decisions = "", sampled_accesses = "", sampled_misses = "",
      sampled_miss_ratio = { kind = "ratio", numerator = "sampled_misses",
                             denominator = "sampled_accesses" },
      bypasses = "",
    },
    init = function(self)
      self.mode, self.until_cycle, self.counted = CACHE, math.maxinteger, 0
      self.accesses, self.misses = 0, 0
    end,
    admit = function(access, self)
      advance(self, self:now())
      if self.mode ~= BYPASS or access.kind ~= "load" then return end
      self.stats.bypasses = self.stats.bypasses + 1
      return "bypass", math.max(access.size_bytes, self.params.fetch_bytes),
             self.params.merge
    end,
    observe = {
      hit = seen, pending_hit = seen, miss = seen,
      kernel_start = function(_, self) self.fresh = true end,
      cta_start = function(_, self)
        local starts = self.fresh and
                       (self.params.restart == "launch" or not self.begun)
        self.fresh = false
        if starts then
          local now = self:now()
          advance(self, now)
          self.begun = true
          sample(self, now)
        end
      end,
    },
    settle = function(now, self)
      advance(self, now)
      if now > self.counted then
        local name, stats = names[self.mode], self.stats
        stats.mode_cycles[name] = stats.mode_cycles[name] + now - self.counted
        self.counted = now
      end
    end,
  }
end

-- PCAL without a limit of warps: tokens, and misses that get no line.
function rivals.pcal()
  local function hand_out(self)
    local p, stats = self.params, self.stats
    stats.holders = math.min(#self.order, p.tokens)
    for i = 1, stats.holders do
      local warp = self.order[i]
      if not self.token[warp] then stats.passes = stats.passes + 1 end
      self.token[warp] = true
    end
    stats.most_holders = math.max(stats.most_holders, stats.holders)
  end
  local function leave(self, warp)
    self.token[warp] = nil
    for i, other in ipairs(self.order) do
      if other == warp then table.remove(self.order, i) break end
    end
  end
  return loom.policy {
    name = "lua_pcal", params = { tokens = 2, fetch_bytes = 128 },
    stats = { holds = "", passes = "", holders = { kind = "gauge" },
              most_holders = { kind = "gauge" } },
    init = function(self) self.order, self.token = {}, {} end,
    allocation = { allocate = function(access, _, self)
      if access.kind == "load" and not self.token[access.warp] then
        return "no_allocate", self.params.fetch_bytes
      end
    end },
    observe = {
      warp_start = function(e, self)
        leave(self, e.warp)
        self.order[#self.order + 1] = e.warp
        hand_out(self)
      end,
      warp_finish = function(e, self)
        leave(self, e.warp)
        hand_out(self)
      end,
    },
  }
end

-- CCWS, whole: victim tags, lost-locality scores, the cut-off.
function rivals.ccws()
  local never = math.maxinteger

  local function set_of(self, warp, block)
    local sets = self.params.vta_sets
    local all = self.tags[warp]
    if not all then
      all = {}
      self.tags[warp] = all
      self.next_way[warp] = {}
    end
    local set = block // 128 % sets
    all[set] = all[set] or {}
    return all[set], self.next_way[warp], set
  end

  local function way_of(self, tags, block)
    for i = 0, self.params.vta_ways - 1 do
      if tags[i] == block then return i end
    end
  end

  local function cut_off(self) return self.present * self.params.base_score end

  local function order(self)
    local slots = {}
    for w = 0, self.highest do
      if self.warp[w] then slots[#slots + 1] = w end
    end
    table.sort(slots, function(a, b)
      local x, y = self.warp[a].score, self.warp[b].score
      if x ~= y then return x > y end
      return a < b
    end)
    return slots
  end

  local function next_change(self, slots, within, sum)
    local p, soonest, falling = self.params, never, 0
    for i, w in ipairs(slots) do
      local above = self.warp[w].score - p.base_score
      if above ~= 0 then
        soonest = math.min(soonest, (above + p.decay - 1) // p.decay)
        if i <= within then falling = falling + 1 end
      end
    end
    if falling ~= 0 and within < #slots then
      soonest = math.min(soonest, (sum - cut_off(self)) //
                                  (falling * p.decay) + 1)
    end
    return soonest
  end

  local function rank(self)
    local slots, limit, sum, within = order(self), cut_off(self), 0, 0
    for s = 0, 63 do self.allowed[s] = 0 end
    while within < #slots and sum < limit do
      within = within + 1
      local w = slots[within]
      sum = sum + self.warp[w].score
      local s = w % self.schedulers
      self.allowed[s] = self.allowed[s] | 1 << w // self.schedulers
    end
    self.excluded = #slots - within
    local left = next_change(self, slots, within, sum)
    self.until_cycle = left == never and never or self.at + left
  end

  local function pass(self, cycles)
    local p, stats, sum = self.params, self.stats, 0
    for w = 0, self.highest do
      local one = self.warp[w]
      if one then
        local above = one.score - p.base_score
        one.score = one.score - math.min(above, cycles * p.decay)
        sum = sum + one.score
      end
    end
    self.at = self.at + cycles
    if self.excluded ~= 0 then
      stats.limited_cycles = stats.limited_cycles + cycles
    end
    stats.limited_warp_cycles = stats.limited_warp_cycles +
                                self.excluded * cycles
    stats.limited, stats.score_sum = self.excluded, sum
  end

  local function advance(self, now)
    while self.until_cycle <= now do
      pass(self, self.until_cycle - self.at)
      rank(self)
    end
    if now > self.at then pass(self, now - self.at) end
  end

  local function unhold(self, warp)
    local s = warp % self.schedulers
    self.held[s] = (self.held[s] or 0) & ~(1 << warp // self.schedulers)
  end

  return loom.policy {
    name = "lua_ccws",
    params = { vta_sets = 2, vta_ways = 8, base_score = 100, factor = 8,
               decay = 1, clear_tags = false },
    stats = {
      probes = "", events = "", insertions = "", store_drops = "", holds = "",
      limited_cycles = { unit = "cycle" },
      limited_warp_cycles = { unit = "warp" },
      limited = { kind = "gauge" }, score_sum = { kind = "gauge" },
      scores = { kind = "histogram" },
    },
    init = function(self)
      self.tags, self.next_way, self.warp, self.owner = {}, {}, {}, {}
      self.allowed, self.held, self.schedulers = {}, {}, 1
      self.present, self.insts, self.hits, self.highest = 0, 0, 0, -1
      self.at, self.until_cycle, self.excluded = 0, never, 0
      for s = 0, 63 do self.allowed[s] = 0 end
    end,
    bind = function(hook, self)
      if hook == "throttle" then self.schedulers = self.shape.schedulers end
    end,
    throttle = function(view, self)
      advance(self, view.now)
      local s = view.scheduler
      local held = view.loads & ~self.allowed[s]
      local new, count = held & ~(self.held[s] or 0), 0
      while new ~= 0 do new, count = new & (new - 1), count + 1 end
      self.stats.holds = self.stats.holds + count
      self.held[s] = held
      if held ~= 0 and self.until_cycle ~= never then
        self:wake(self.until_cycle)
      end
      return ~held
    end,
    timer = function() end,
    observe = {
      issue = function(e, self)
        local w = e.warp
        self.warp[w].insts = self.warp[w].insts + 1
        self.insts = self.insts + 1
        unhold(self, w)
      end,
      warp_start = function(e, self)
        advance(self, e.now)
        local w, p = e.warp, self.params
        unhold(self, w)
        self.warp[w] = { score = p.base_score, insts = 0, hits = 0 }
        self.present = self.present + 1
        self.highest = math.max(self.highest, w)
        if p.clear_tags then self.tags[w], self.next_way[w] = nil, nil end
        rank(self)
      end,
      warp_finish = function(e, self)
        advance(self, e.now)
        local w = e.warp
        unhold(self, w)
        self.present = self.present - 1
        self.insts = self.insts - self.warp[w].insts
        self.hits = self.hits - self.warp[w].hits
        self.warp[w] = nil
        rank(self)
      end,
      access = function(e, self)
        local r = e.request
        if r.kind ~= "store" or r.space ~= "global" then return end
        local block = r.block
        for warp in pairs(self.tags) do
          local tags = set_of(self, warp, block)
          local way = way_of(self, tags, block)
          if way then
            tags[way] = nil
            self.stats.store_drops = self.stats.store_drops + 1
          end
        end
      end,
      allocate = function(e, self)
        self.owner[e.set * self.shape.ways + e.way] = e.request.warp
      end,
      evict = function(e, self)
        if e.reason == "flush" then self.tags, self.next_way = {}, {} end
        if e.reason ~= "capacity" then return end
        local block = e.block // 128 * 128
        local warp = self.owner[e.set * self.shape.ways + e.way] or 0
        local tags, nexts, set = set_of(self, warp, block)
        if not way_of(self, tags, block) then
          local way = nexts[set] or 0
          tags[way] = block
          nexts[set] = (way + 1) % self.params.vta_ways
        end
        self.stats.insertions = self.stats.insertions + 1
      end,
      miss = function(e, self)
        local r, p, stats = e.request, self.params, self.stats
        local w = r.warp
        if r.kind ~= "load" or not self.warp[w] then return end
        stats.probes = stats.probes + 1
        if not way_of(self, set_of(self, w, r.block), r.block) then return end
        advance(self, e.now)
        local one = self.warp[w]
        one.hits, self.hits = one.hits + 1, self.hits + 1
        local score = self.hits * p.factor * cut_off(self) //
                      math.max(self.insts, 1)
        one.score = math.max(score, p.base_score)
        stats.events = stats.events + 1
        stats.scores:add(one.score)
        rank(self)
        local held = 0
        for s = 0, self.schedulers - 1 do held = held | (self.held[s] or 0) end
        if held ~= 0 then self:kick() end
      end,
    },
    settle = function(now, self) advance(self, now) end,
  }
end

return rivals
