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

return rivals
