-- The experiments with one DRAM channel that DRAMsim3 and Ramulator answered
-- (tests/validate/reference/dram.csv), repeated exactly, and how well the
-- answers agree.
--   warploom run -q tests/validate/dram_reference.lua --set configs=all
--
-- Parameters of the channels are those of the references; the controller is
-- that of the simulator which a measurement is held against, by name: 32
-- entries for reads and 32 for writes; dramsim3_queues, or ramulator_frfcfs
-- and one precharge of all banks before a refresh.  Arrivals, addresses,
-- window and latency are defined in docs/validation.md.
local loom = require "warploom"
local channel = require "channel"

local root = loom.option { name = "root", default = ".", doc = "Source tree" }
local file = loom.option { name = "reference", default = "",
                           doc = "Another file of measurements" }
local which = loom.option { name = "configs", default = "gtx480_noref",
                            doc = "Names with commas, or all" }
local loads = loom.option { name = "loads", default = "all",
                            doc = "Names with commas: 1, 0.2, N1; or all" }
local csv = loom.option { name = "csv", default = "", doc = "File for rows" }

local function with(config, changes)
  local out = {}
  for name, value in pairs(config) do out[name] = value end
  for name, value in pairs(changes) do out[name] = value end
  return out
end

local gddr5 = {
  peak = 2, -- cycles per request
  columns = 128, rows = 16384,
  clock = "1500MHz", banks = 16, bank_groups = 1, bus_bytes = 16,
  burst_length = 8, data_rate = 4, tccd = 2, tccdl = 0, trrd = 10, trrdl = 10,
  trcd = 24, trcdwr = 20, tras = 56, trp = 24, trc = 80, cl = 24, wl = 7,
  tcdlr = 10, tcdlrl = 10, twr = 24, trtp = 5, trtpl = 0, trtrs = 1, tppd = 5,
  tfaw = 40, t32aw = 360,
}
local hbm2 = {
  peak = 2, columns = 32, rows = 32768,
  clock = "1GHz", banks = 16, bank_groups = 4, bus_bytes = 16,
  burst_length = 4, data_rate = 2, tccd = 2, tccdl = 2, trrd = 4, trrdl = 6,
  trcd = 14, trcdwr = 14, tras = 34, trp = 14, trc = 48, cl = 14, wl = 4,
  tcdlr = 6, tcdlrl = 8, twr = 16, trtp = 5, trtpl = 0, trtrs = 2, tfaw = 30,
  dual_bus = true,
}
local gtx480 = {
  peak = 2, columns = 64, rows = 4096,
  clock = "924MHz", banks = 16, bank_groups = 4, bus_bytes = 8,
  burst_length = 8, data_rate = 4, tccd = 2, tccdl = 3, trrd = 6, trrdl = 6,
  trcd = 12, trcdwr = 7, tras = 28, trp = 12, trc = 40, cl = 12, wl = 4,
  tcdlr = 5, tcdlrl = 5, twr = 12, trtp = 2, trtpl = 0, trtrs = 2,
}
local r1_gddr5 = { -- of Ramulator 1
  peak = 2, columns = 128, rows = 16384,
  clock = "1500MHz", banks = 16, bank_groups = 4, bus_bytes = 4,
  burst_length = 8, data_rate = 4, tccd = 2, tccdl = 3, trrd = 9, trrdl = 9,
  trcd = 18, trcdwr = 15, tras = 42, trp = 18, trc = 60, cl = 18, wl = 5,
  tcdlr = 8, tcdlrl = 8, twr = 18, trtp = 2, trtpl = 0, trtrs = 2,
  tppd = 2, tfaw = 35, t32aw = 276,
}
-- Presets of Ramulator 2: HBM2_8Gb at HBM2_2000Mbps, and GDDR6_8Gb_x16 at
-- GDDR6_14000_1350mV_double.
local r2_hbm2 = with(hbm2, {
  rows = 65536, tccd = 2, tccdl = 4, trrd = 4, trrdl = 4, trcdwr = 12, wl = 5,
  tfaw = 15, act_cycles = 2,
})
local r2_hbm2_2pc = with(r2_hbm2, {
  peak = 1, banks = 32, bank_groups = 8, pseudo_channels = 2, bus_bytes = 8,
})
local r2_gddr6 = {
  peak = 2, columns = 64, rows = 16384,
  clock = "1750MHz", banks = 16, bank_groups = 4, bus_bytes = 2,
  burst_length = 16, data_rate = 8, tccd = 2, tccdl = 4, trrd = 8, trrdl = 8,
  trcd = 27, trcdwr = 16, tras = 53, trp = 27, trc = 79, cl = 24, wl = 6,
  tcdlr = 9, tcdlrl = 11, twr = 27, trtp = 4, trtpl = 0, trtrs = 5, tppd = 1,
  tfaw = 29,
}
-- DRAMsim3's GDDR6_8Gb_x16.ini, and the strings of GPGPU-Sim's RTX 2060 and
-- QV100.
local gddr6 = {
  peak = 3, columns = 128, rows = 16384,
  clock = "1515MHz", banks = 16, bank_groups = 1, bus_bytes = 16,
  burst_length = 16, data_rate = 16, tccd = 3, tccdl = 0, trrd = 9, trrdl = 9,
  trcd = 24, trcdwr = 20, tras = 54, trp = 24, trc = 78, cl = 24, wl = 16,
  tcdlr = 7, tcdlrl = 7, twr = 16, trtp = 5, trtpl = 0, trtrs = 1, tppd = 2,
  tfaw = 32, t32aw = 420,
}
local rtx2060 = {
  peak = 4, columns = 64, rows = 8192,
  clock = "1751MHz", banks = 16, bank_groups = 4, bus_bytes = 2,
  burst_length = 16, data_rate = 4, tccd = 4, tccdl = 6, trrd = 12, trrdl = 12,
  trcd = 24, trcdwr = 15, tras = 55, trp = 24, trc = 79, cl = 24, wl = 8,
  tcdlr = 10, tcdlrl = 10, twr = 24, trtp = 4, trtpl = 0, trtrs = 2,
}
local qv100 = {
  peak = 1, columns = 64, rows = 8192,
  clock = "850MHz", banks = 16, bank_groups = 4, bus_bytes = 16,
  burst_length = 2, data_rate = 2, tccd = 1, tccdl = 2, trrd = 3, trrdl = 3,
  trcd = 12, trcdwr = 9, tras = 28, trp = 12, trc = 40, cl = 12, wl = 2,
  tcdlr = 3, tcdlrl = 3, twr = 10, trtp = 3, trtpl = 0, trtrs = 2,
  dual_bus = true,
}
local configs = {
  gddr5_8gb_noref = gddr5,
  gddr5_8gb_ref = with(gddr5, { trefi = 3800, trfc = 74 }),
  gddr5_8gb_bg_noref = with(gddr5, { bank_groups = 4, tccdl = 3 }),
  hbm2_8gb_noref = hbm2,
  hbm2_8gb_ref = with(hbm2, { trefi = 3900, trfc = 260 }),
  gtx480_noref = gtx480, r1_gddr5_6000_noref = r1_gddr5,
  r2_hbm2_2pc_noref = r2_hbm2_2pc,
  r2_hbm2_2pc_ref = with(r2_hbm2_2pc, { trefi = 3900, trfc = 350 }),
  r2_hbm2_1pc_noref = r2_hbm2,
  r2_gddr6_noref = r2_gddr6,
  r2_gddr6_ref = with(r2_gddr6, { trefi = 3333, trfc = 211 }),
  gddr6_8gb_noref = gddr6,
  gddr6_8gb_ref = with(gddr6, { trefi = 11862, trfc = 126 }),
  rtx2060_noref = rtx2060, qv100_noref = qv100,
}

local patterns = { seq = "sequential", bankint = "interleaved",
                   rowmiss = "row_miss", conflict1 = "row_conflict",
                   random = "random", randblk4 = "random_blocks" }

local controllers = {
  ["DRAMsim3"] = function() return loom.dramsim3_queues {}, "each" end,
  ["ramulator2.1"] = function() return loom.ramulator_frfcfs {}, "all" end,
  ["ramulator1"] = function()
    return loom.ramulator_frfcfs { version = 1 }, "all"
  end,
}

local function wanted(list, name)
  return list == "all" or ("," .. list .. ","):find("," .. name .. ",", 1, true)
end

-- Answers of the references, a row each.
local order, saturation = {}, {}
if file == "" then file = root .. "/tests/validate/reference/dram.csv" end
for line in io.lines(file) do
  local config, pattern, mode, load, simulator, util, latency =
    line:match "^([^,]*),([^,]*),([^,]*),([^,]*),([^,]*),([^,]*),([^,]*)$"
  if config ~= "config" then
    load = mode == "closed" and "N" .. load or load
    local row = { config = config, pattern = pattern, load = load,
                  simulator = simulator,
                  theirs = { util = tonumber(util),
                             latency = tonumber(latency) } }
    order[#order + 1] = row
    if load == "1" then
      saturation[config .. pattern .. simulator] = row.theirs.util
    end
  end
end

local function measure(row)
  local config, source, changes = configs[row.config], {}, {}
  for name, value in pairs(config) do
    if name == "columns" or name == "rows" then
      source[name] = value
    elseif name ~= "peak" then
      changes[name] = value
    end
  end
  changes.queue_entries, changes.write_entries = 32, 32
  changes.schedule, changes.refresh_close = controllers[row.simulator]()
  changes.post_writes = row.simulator == "DRAMsim3"
  changes.return_entries = 512
  local pattern = row.pattern:gsub("_rw21$", "")
  source.pattern = patterns[pattern]
  source.write_every = pattern ~= row.pattern and 3 or 0
  source.warmup, source.count = 3000, 20000
  if pattern == "conflict1" then source.warmup, source.count = 1000, 5000 end
  local n = row.load:match "^N(%d+)$"
  source.arrival = n and "closed" or "bernoulli"
  source.outstanding = math.tointeger(n) or 1
  source.load = n and 0.0 or tonumber(row.load) / config.peak
  local m = channel.machine("gtx480", changes, source)
  m.clock = config.clock
  local run = loom.run { machine = m }
  local s = run.stats "mem_source"
  local latency = s.read_latency
  row.util = config.peak / s.cycles_per_request
  row.latency = latency.sum / latency.count
end

-- What is promised of a measurement: kind, error, limit.
local function judge(row)
  local mixed = row.pattern:find "_rw21$"
  local latency = row.latency / row.theirs.latency - 1
  if row.load == "N1" then
    -- Ramulator hands in the next request in the cycle of the reply, DRAMsim3
    -- and we in the next one; that shows where tRAS or tRC is not over.
    local cycle = row.simulator ~= "DRAMsim3" and 1 / row.theirs.latency or 0
    if mixed then return "mixed, unloaded", latency, 0.03 end
    return "unloaded", latency, cycle + 0.0005
  elseif row.load == "1" then
    return mixed and "mixed, saturation" or "saturation",
           row.util / row.theirs.util - 1, mixed and 0.03 or 0.02
  end
  local most = saturation[row.config .. row.pattern .. row.simulator]
  local load = tonumber(row.load)
  if load > 0.5 or load > 0.85 * most then return nil end
  return mixed and "mixed, latency" or "latency", latency,
         mixed and 0.03 or 0.02
end

local rows = { "config,pattern,load,simulator,util,latency,kind,off,limit," ..
               "their_util,their_latency" }
local kinds, names, failed, runs = {}, {}, 0, 0
for _, row in ipairs(order) do
  if configs[row.config] and wanted(which, row.config) and
     wanted(loads, row.load) then
    measure(row)
    runs = runs + 1
    local kind, off, limit = judge(row)
    rows[#rows + 1] = ("%s,%s,%s,%s,%.4f,%.3f,%s,%.4f,%.4f,%.4f,%.3f"):format(
      row.config, row.pattern, row.load, row.simulator, row.util, row.latency,
      kind and kind:gsub(",", ";") or "-", off or 0, limit or 0,
      row.theirs.util, row.theirs.latency)
    if kind then
      if not kinds[kind] then
        kinds[kind] = { count = 0, sum = 0, worst = 0, bad = 0 }
        names[#names + 1] = kind
      end
      local k = kinds[kind]
      k.count, k.sum = k.count + 1, k.sum + math.abs(off)
      if math.abs(off) >= math.abs(k.worst) then
        k.worst, k.at = off, rows[#rows]
      end
      if math.abs(off) > limit then
        failed, k.bad = failed + 1, k.bad + 1
        print(("%+.2f %%: %s"):format(100 * off, rows[#rows]))
      end
    end
  end
end
table.sort(names)
for _, name in ipairs(names) do
  local k = kinds[name]
  print(("%-20s %3d, mean %.3f %%, worst %+.3f %% (%s), %d too far"):format(
    name, k.count, 100 * k.sum / k.count, 100 * k.worst,
    k.at:match "^[^,]*,[^,]*,[^,]*,[^,]*", k.bad))
end
if csv ~= "" then
  local out = assert(io.open(csv, "w"))
  out:write(table.concat(rows, "\n"), "\n")
  out:close()
end
assert(runs > 0, "nothing was run")
-- On average, too, of reads and of mixes.
for _, name in ipairs(names) do
  local k = kinds[name]
  local most = name:find "mixed" and 0.03 or 0.02
  assert(k.sum / k.count <= most, name .. ": too far off on average")
end
assert(failed == 0, failed .. " measurements are too far off")
