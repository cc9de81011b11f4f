-- The experiments with one DRAM channel that DRAMsim3 and Ramulator answered
-- (tests/validate/reference/dram.csv), repeated exactly, and how well the
-- answers agree.
--   warploom run -q tests/validate/dram_reference.lua --set configs=all
--
-- Parameters of the channels are those of the references; the controller is
-- like Ramulator's: 32 entries for reads, 32 for writes, writes from 26 of them
-- on until 6 are left; where Ramulator 1 is the reference also in that row
-- commands of older requests go before columns of younger ones.  Arrivals,
-- addresses, window and latency are defined in docs/validation.md.
local loom = require "warploom"
local channel = require "channel"

local root = loom.option { name = "root", default = ".", doc = "Source tree" }
local which = loom.option { name = "configs", default = "gtx480_noref",
                            doc = "Names with commas, or all" }
local loads = loom.option { name = "loads", default = "all",
                            doc = "Names with commas: 1, 0.2, N1; or all" }
local csv = loom.option { name = "csv", default = "", doc = "File for rows" }

local gddr5 = {
  columns = 128, rows = 16384,
  clock = "1500MHz", banks = 16, bank_groups = 1, bus_bytes = 16,
  burst_length = 8, data_rate = 4, tccd = 2, tccdl = 0, trrd = 10, trrdl = 10,
  trcd = 24, trcdwr = 20, tras = 56, trp = 24, trc = 80, cl = 24, wl = 7,
  tcdlr = 10, tcdlrl = 10, twr = 24, trtp = 5, trtpl = 0, trtrs = 1, tppd = 5,
  tfaw = 40, t32aw = 360,
}
local hbm2 = {
  columns = 32, rows = 32768,
  clock = "1GHz", banks = 16, bank_groups = 4, bus_bytes = 16,
  burst_length = 4, data_rate = 2, tccd = 2, tccdl = 2, trrd = 4, trrdl = 6,
  trcd = 14, trcdwr = 14, tras = 34, trp = 14, trc = 48, cl = 14, wl = 4,
  tcdlr = 6, tcdlrl = 8, twr = 16, trtp = 5, trtpl = 0, trtrs = 2, tfaw = 30,
  dual_bus = true,
}
local gtx480 = {
  columns = 64, rows = 4096,
  clock = "924MHz", banks = 16, bank_groups = 4, bus_bytes = 8,
  burst_length = 8, data_rate = 4, tccd = 2, tccdl = 3, trrd = 6, trrdl = 6,
  trcd = 12, trcdwr = 7, tras = 28, trp = 12, trc = 40, cl = 12, wl = 4,
  tcdlr = 5, tcdlrl = 5, twr = 12, trtp = 2, trtpl = 0, trtrs = 2,
}
local r1_gddr5 = { -- of Ramulator 1
  columns = 128, rows = 16384,
  clock = "1500MHz", banks = 16, bank_groups = 4, bus_bytes = 4,
  burst_length = 8, data_rate = 4, tccd = 2, tccdl = 3, trrd = 9, trrdl = 9,
  trcd = 18, trcdwr = 15, tras = 42, trp = 18, trc = 60, cl = 18, wl = 5,
  tcdlr = 8, tcdlrl = 8, twr = 18, trtp = 2, trtpl = 0, trtrs = 2,
  tfaw = 35, t32aw = 276,
}
local function with_refresh(config, trefi, trfc)
  local out = { trefi = trefi, trfc = trfc }
  for name, value in pairs(config) do out[name] = value end
  return out
end
local configs = {
  gddr5_8gb_noref = gddr5, gddr5_8gb_ref = with_refresh(gddr5, 3800, 74),
  hbm2_8gb_noref = hbm2, hbm2_8gb_ref = with_refresh(hbm2, 3900, 260),
  gtx480_noref = gtx480, r1_gddr5_6000_noref = r1_gddr5,
}
local peak = 2 -- cycles per request, all of them

local patterns = { seq = "sequential", bankint = "interleaved",
                   rowmiss = "row_miss", conflict1 = "row_conflict",
                   random = "random", randblk4 = "random_blocks" }

-- Answers of the references: [config][pattern][load] = { simulators }.
local order, reference = {}, {}
for line in io.lines(root .. "/tests/validate/reference/dram.csv") do
  local config, pattern, mode, load, simulator, util, latency =
    line:match "^([^,]*),([^,]*),([^,]*),([^,]*),([^,]*),([^,]*),([^,]*)$"
  if config ~= "config" then
    load = mode == "closed" and "N" .. load or load
    local key = config .. "," .. pattern .. "," .. load
    if not reference[key] then
      reference[key] = {}
      order[#order + 1] = { key = key, config = config, pattern = pattern,
                            load = load }
    end
    local list = reference[key]
    list[#list + 1] = { simulator = simulator, util = tonumber(util),
                        latency = tonumber(latency) }
  end
end

local function measure(row)
  local config, source, changes = configs[row.config], {}, {}
  for name, value in pairs(config) do
    if name == "columns" or name == "rows" then
      source[name] = value
    else
      changes[name] = value
    end
  end
  changes.queue_entries, changes.write_entries = 32, 32
  local first = row.config:find "^r1" ~= nil
  changes.schedule = loom.frfcfs { write_high = first and 25 or 26,
                                   write_low = 6, any_ready = first }
  changes.return_entries = 512
  local pattern = row.pattern:gsub("_rw21$", "")
  source.pattern = patterns[pattern]
  source.write_every = pattern ~= row.pattern and 3 or 0
  source.warmup, source.count = 3000, 20000
  if pattern == "conflict1" then source.warmup, source.count = 1000, 5000 end
  local n = row.load:match "^N(%d+)$"
  source.arrival = n and "closed" or "bernoulli"
  source.outstanding = math.tointeger(n) or 1
  source.load = n and 0.0 or tonumber(row.load) / peak
  local m = channel.machine("gtx480", changes, source)
  m.clock = config.clock
  local run = loom.run { machine = m }
  local s = run.stats "mem_source"
  local latency = s.read_latency
  row.util = peak / s.cycles_per_request
  row.latency = latency.sum / latency.count
end

local function wanted(list, name)
  return list == "all" or ("," .. list .. ","):find("," .. name .. ",", 1, true)
end

local function envelope(list, field)
  local least, most = math.huge, 0
  for _, one in ipairs(list) do
    least, most = math.min(least, one[field]), math.max(most, one[field])
  end
  return least, most
end

-- How far a value is outside of what the references span, as a share.
local function outside(value, list, field)
  local least, most = envelope(list, field)
  if value < least then return value / least - 1 end
  return value > most and value / most - 1 or 0.0
end

-- What is promised of a measurement, and its error.
local function judge(row, saturation)
  local list = reference[row.key]
  local mixed = row.pattern:find "_rw21$"
  local refreshes = not row.config:find "noref"
  if row.load == "N1" and not mixed then
    local best = math.huge
    for _, one in ipairs(list) do
      local off = row.latency / one.latency - 1
      best = math.abs(off) < math.abs(best) and off or best
    end
    -- Ramulator hands in the next request in the cycle of the reply, DRAMsim3
    -- and we in the next one; that shows where tRAS or tRC is not over.
    local alone = row.config:find "^r1" and 0.02
    return "unloaded", best, refreshes and 0.03 or alone or 0.0005
  elseif row.load == "1" then
    if row.pattern == "random" or row.pattern == "rowmiss" then
      return "saturation", outside(row.util, list, "util"), 0.05
    end
    return mixed and "mixed, saturation" or "other, saturation",
           outside(row.util, list, "util"), mixed and 0.12 or 0.03
  elseif row.load == "N1" then
    return "mixed, unloaded", outside(row.latency, list, "latency"), 0.12
  end
  local load = tonumber(row.load)
  if load > 0.5 or load > 0.85 * saturation then return nil end
  return mixed and "mixed, latency" or "latency",
         outside(row.latency, list, "latency"), mixed and 0.12 or 0.03
end

local saturations = {}
for _, row in ipairs(order) do
  if row.load == "1" then
    saturations[row.config .. row.pattern] =
      envelope(reference[row.key], "util")
  end
end

local rows = { "config,pattern,load,util,latency,kind,off,limit,references" }
local kinds, names, failed, runs = {}, {}, 0, 0
for _, row in ipairs(order) do
  if configs[row.config] and wanted(which, row.config) and
     wanted(loads, row.load) then
    measure(row)
    runs = runs + 1
    local kind, off, limit = judge(row,
                                   saturations[row.config .. row.pattern])
    local others = {}
    for _, one in ipairs(reference[row.key]) do
      others[#others + 1] = ("%s %.4f %.3f"):format(one.simulator, one.util,
                                                    one.latency)
    end
    rows[#rows + 1] = ("%s,%.4f,%.3f,%s,%.4f,%.4f,%s"):format(
      row.key, row.util, row.latency, kind or "-", off or 0, limit or 0,
      table.concat(others, ";"))
    if kind then
      if not kinds[kind] then
        kinds[kind] = { count = 0, worst = 0, bad = 0 }
        names[#names + 1] = kind
      end
      local k = kinds[kind]
      k.count = k.count + 1
      if math.abs(off) >= math.abs(k.worst) then
        k.worst, k.at = off, row.key
      end
      if math.abs(off) > limit then
        failed, k.bad = failed + 1, k.bad + 1
        print(("%s: %s %+.2f %%, %s"):format(row.key, kind, 100 * off,
              rows[#rows]))
      end
    end
  end
end
table.sort(names)
for _, name in ipairs(names) do
  local k = kinds[name]
  print(("%-18s %3d, worst %+.3f %% (%s), %d too far"):format(
    name, k.count, 100 * k.worst, k.at, k.bad))
end
if csv ~= "" then
  local file = assert(io.open(csv, "w"))
  file:write(table.concat(rows, "\n"), "\n")
  file:close()
end
assert(runs > 0, "nothing was run")
assert(failed == 0, failed .. " measurements are too far off")
