-- What a machine's description says about latencies and rates, before
-- anything is run: sums of its parts and closed forms of its resources.
-- Nothing here looks at a statistic; all numbers come from the parameters and
-- links of a run's description, as docs/components/*.md explain them.
local M = {}
local methods = {}

-- The machine of a run as this module reads it.
function M.of(gpu, description)
  local self = { links = {}, at = {}, hertz = {}, clock = gpu.clock }
  for _, link in ipairs(description.links) do
    self.links[("%s.%s[%d]"):format(link.client.path, link.client.port,
                                    link.client.index)] = link
  end
  for _, part in ipairs(description.components) do
    self.at[part.path] = part.record
    self.hertz[part.path] = part.hertz
  end
  self.gpu, self.sm, self.ldst = gpu, gpu.sm[0], gpu.sm[0].ldst
  self.l1 = gpu.sm[0].l1d
  self.noc = gpu.noc
  self.l2 = gpu.l2[0]
  self.dram = gpu.dram[0]
  return setmetatable(self, { __index = methods })
end

-- Both directions of a link, in cycles of the GPU's clock.
function methods:wire(port)
  local link = self.links[tostring(port):find "%]$" and tostring(port) or
                          tostring(port) .. "[0]"]
  local function cycles(latency, receiver)
    return latency * self.clock / self.hertz[receiver]
  end
  return cycles(link.request.latency, link.server.path),
         cycles(link.reply.latency, link.client.path)
end

local function ceil(a, b) return (a + b - 1) // b end
M.ceil = ceil

-- Cycles of operand collection before a memory instruction leaves the SM.
function methods:before_memory()
  return self.sm.memory_cycles + (self.sm.register_banks > 0 and 4 or 0)
end

-- Issue of a memory instruction to issue of one that needs its result, but
-- without what happens behind the load/store unit.
function methods:near()
  local there, back = self:wire(self.sm:port "ldst")
  return self:before_memory() + there + back
end

function methods:l1_hit()
  local there, back = self:wire(self.ldst:port "l1")
  return self:near() + there + self.l1.hit_latency + back
end

function methods:flits(bytes) return ceil(8 + bytes, self.noc.flit_bytes) end

-- A load of one line that misses in the L1 and hits in the L2.
function methods:l2_hit()
  local up, down = self:wire(self.l1:port "down")
  local out, back = self:wire(self.noc.down[0])
  return self:l1_hit() + up + self.noc.latency + self:flits(0) - 1 + out +
         self.l2.hit_latency + back + self.noc.latency +
         self:flits(self.l1.line_bytes) - 1 + down
end

-- Column commands of one line, and the cycles between two of them.
function methods:columns()
  local dram = self.dram
  local burst = dram.burst_length // dram.data_rate
  local gap = dram.bank_groups > 1 and dram.tccdl or dram.tccd
  return ceil(self.l2.line_bytes, dram.bus_bytes * dram.burst_length),
         math.max(gap, dram.tccd, burst), burst
end

-- Cycles of the DRAM's clock from the acceptance of a read to its reply, if
-- its row is "open", its bank "closed", or the row is an "other" one.
function methods:dram_read(row)
  local dram = self.dram
  local columns, gap, burst = self:columns()
  local cycles = 1 + dram.cl + burst + dram.latency + dram.delay +
                 (columns - 1) * gap
  if row ~= "open" then cycles = cycles + dram.trcd end
  if row == "other" then cycles = cycles + dram.trp end
  return cycles
end

-- Cycles of a chain of loads that miss in both caches, one for each entry of
-- `rows`, on average.  The first edge strictly after that of the sender is
-- the first cycle in another clock, so edges are followed one by one.
function methods:misses(rows)
  local link = self.links[tostring(self.l2:port "down") .. "[0]"]
  local from, to = self.clock, self.hertz[tostring(self.dram)]
  local now = 0
  for _, row in ipairs(rows) do
    local d = now * to // from + link.request.latency + self:dram_read(row)
    now = d * from // to + link.reply.latency + self:l2_hit()
  end
  return now / #rows
end

------------------------------------------------------------------------------
-- Operations

-- The classes of operations that a micro_alu kernel is made of.
local classes = { shuffle = { "move", "shuffle" } }
local function classes_of(op) return classes[op] or { op } end

local function unit_of(sm, op)
  if op:find "^dp_" and op ~= "dp_div" then
    if sm.dp_units > 0 then return "dp_units" end
    return "sfu_units"
  elseif op == "sfu" or op:find "_div$" then
    return "sfu_units"
  elseif (op:find "^int_" or op == "shuffle" or op == "move") and
         sm.int_units > 0 then
    return "int_units"
  end
  return "sp_units"
end

function methods:op_latency(op)
  local sum = 0
  for _, class in ipairs(classes_of(op)) do
    sum = sum + self.sm[class .. "_latency"] +
          (self.sm.register_banks > 0 and 6 or self.sm.pipeline_cycles)
  end
  return sum
end

-- Cycles per operation and warp, and what sets them.
function methods:op_interval(op, warps)
  local sm = self.sm
  local busy, named = {}, {}
  local issue = 0
  for _, class in ipairs(classes_of(op)) do
    local unit = unit_of(sm, class)
    busy[unit] = (busy[unit] or 0) + sm[class .. "_interval"] / sm[unit]
    issue = issue + 1 / (sm.schedulers * sm.issue_per_scheduler)
  end
  for unit, cycles in pairs(busy) do
    named[#named + 1] = { cycles, unit }
  end
  named[#named + 1] = { issue, "schedulers" }
  named[#named + 1] = { self:op_latency(op) / warps, "latency" }
  return M.binding(named)
end

-- The largest of { { cycles, name } .. }.
function M.binding(list)
  local most = list[1]
  for _, one in ipairs(list) do
    if one[1] > most[1] then most = one end
  end
  return most[1], most[2]
end

------------------------------------------------------------------------------
-- Memory close to the SM

-- Distinct words in the fullest bank, for lanes `stride` words apart.
function methods:conflicts(stride)
  local banks, seen, most = {}, {}, 0
  for lane = 0, 31 do
    local word = lane * stride % 4096
    if not seen[word] then
      seen[word] = true
      local bank = word % self.ldst.shared_banks
      banks[bank] = (banks[bank] or 0) + 1
      most = math.max(most, banks[bank])
    end
  end
  return most
end

-- Distinct pieces of `bytes` that lanes `step` bytes apart touch.
function M.pieces(step, bytes)
  local seen, count = {}, 0
  for lane = 0, 31 do
    local piece = lane * step // bytes
    if not seen[piece] then
      seen[piece], count = true, count + 1
    end
  end
  return count
end

-- Accesses of a strided load of words and the bytes of each, as the coalescer
-- makes them: segments of a line that shrink to what is used, or sectors.
function methods:accesses(stride)
  local coalesce = self.ldst.coalesce.name
  local segment = coalesce == "sector_coalesce" and 32 or
                  math.min(128, self.ldst.line_bytes)
  local sizes, order = {}, {}
  for lane = 0, 31 do
    local at = lane * stride * 4
    local number = at // segment
    if not sizes[number] then
      sizes[number] = 0
      order[#order + 1] = number
    end
    sizes[number] = sizes[number] | 1 << (at % segment // 32)
  end
  local size = { [1] = 32, [2] = 32, [4] = 32, [8] = 32, [3] = 64, [12] = 64 }
  local list = {}
  for i, number in ipairs(order) do list[i] = size[sizes[number]] or 128 end
  return list
end

-- Cycles per strided load and warp where all of them hit.
function methods:l1_interval(stride, warps)
  local list = self:accesses(stride)
  local port = 0
  for _, bytes in ipairs(list) do
    port = port + ceil(bytes, self.l1.data_port_bytes)
  end
  -- Eight loads of a warp are under way at most.
  return M.binding {
    { #list / math.min(self.ldst.accesses_per_cycle,
                       self.l1.accesses_per_cycle), "L1 accesses" },
    { port, "L1 data port" },
    { 1 / math.min(self.sm.ldst_units, self.sm.schedulers), "issue" },
    { 1, "coalescer" },
    { (self:l1_hit() + #list - 1) / (8 * warps), "latency" },
  }
end

------------------------------------------------------------------------------
-- Memory far from the SM

-- Bytes of the accesses that a warp's coalesced access around the L1 makes.
function methods:line_access()
  local coalesce = self.ldst.coalesce
  if coalesce.name == "sector_coalesce" then return 32 end
  return coalesce.around_bytes ~= 0 and coalesce.around_bytes or 128
end

-- The same of stores, for which the rules of loads hold.
function methods:store_access()
  return self.ldst.coalesce.name == "sector_coalesce" and 32 or 128
end

-- A load from constant memory that touches `lines` lines.
function methods:const_load(lines)
  if not self.links[tostring(self.ldst:port "l1c") .. "[0]"] then
    return self:near() + self.ldst.const_latency + lines - 1
  end
  local there, back = self:wire(self.ldst:port "l1c")
  return self:near() + there + self.sm.l1c.hit_latency + back + lines - 1
end

-- Cycles per access of a stream, and what sets them: `sms` SMs send to
-- `slices` slices of `channels` channels; `up` and `down` are the bytes of a
-- request and of its reply; `misses` says that all of them go to memory, each
-- for `share` of a line.
function methods:stream_interval(spec)
  local noc, l2 = self.noc, self.l2
  local up, down = self:flits(spec.up), self:flits(spec.down)
  local data = math.max(spec.up, spec.down)
  local gap = noc.packet_gap
  local pause = noc.inputs_rest and gap or 0
  local list = {
    { 1 / spec.sms, "L1" },
    { (up / noc.input_speedup + pause) / spec.sms, "requests of the SMs" },
    { (down + gap) / spec.sms, "replies to the SMs" },
    { (up + gap) / spec.slices, "requests to the L2" },
    { (down / noc.input_speedup + pause) / spec.slices, "replies of the L2" },
    { ceil(data, l2.data_port_bytes) / spec.slices, "L2 data port" },
    { 1 / l2.accesses_per_cycle / spec.slices, "L2 accesses" },
  }
  if spec.misses then
    local ratio = self.clock / self.hertz[tostring(self.dram)]
    local columns, _, burst = self:columns()
    -- Reads of several bank groups take turns.
    list[#list + 1] = { columns * math.max(burst, self.dram.tccd) * ratio *
                        spec.share / spec.channels, "DRAM bus" }
    list[#list + 1] = { ceil(l2.line_bytes, l2.fill_port_bytes) * spec.share /
                        spec.slices, "L2 fill port" }
  end
  return M.binding(list)
end

return M
