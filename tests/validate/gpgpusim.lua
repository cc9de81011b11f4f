-- Programs in time, beside what GPGPU-Sim 4.2 reported of them.
--
--   warploom run tests/validate/gpgpusim.lua --quiet --set config=all
--       [--set variants=8] [--set faults=true] [--set out=FILE.csv]
--       [--set folder=FOLDER] [--set programs=a,b] [--set csv=MEASURED.csv]
--
-- prints a line per launch and a summary; `out` gets rows of program, launch,
-- kernel, config, stat, ours, theirs, low, high.  `config` is one of the
-- reference's, or all.  The programs are the calibration programs, or those of
-- a folder (see reference.lua) with measurements of their own in `csv`: all
-- programs that it has, or those that `programs` names.
--
-- Noise: with `variants` each program runs as many times more, with one latency
-- a cycle longer or shorter.  The spread of a number is the largest distance
-- of a variant from the undisturbed run; low and high are the extremes of all
-- of them.  A difference within it is one that a cycle anywhere makes, too.
-- If the other simulator was one more variant, one launch in variants + 1 would
-- be outside.
--
-- Misses are per lookup; where lines are allocated on fill, GPGPU-Sim counts an
-- access that joins one on its way as a miss and as an MSHR hit, and we as a
-- pending hit: there ours are misses and pending hits.
local loom = require "warploom"
local reference = require "reference"

local root = loom.option { name = "root", default = ".",
                           doc = "The source tree" }
local folder = loom.option { name = "folder", default = "",
                             doc = "Where other programs are" }
local csv = loom.option { name = "csv", default = "",
                          doc = "Measurements of the other simulator" }
local out = loom.option { name = "out", default = "",
                          doc = "CSV of both, side by side" }
local only = loom.option { name = "programs", default = "",
                           doc = "Some of the programs, with commas" }
local limit = loom.option { name = "limit", default = 0.0,
  doc = "Fails if a configuration's mean error of cycles is above; 0: never" }
local beyond = loom.option { name = "beyond", default = 0.0,
  doc = "Fails if cycles are farther outside their spread, %; 0: never" }
local chosen = loom.option { name = "config", default = "gtx480",
  choices = { "gtx480", "gtx480_lrr", "gtx480_l1_32k", "titanx_l1", "qv100",
              "all" }, doc = "Which machine" }
local count = loom.option { name = "variants", default = 0,
  doc = "Runs with one latency a cycle longer or shorter, up to 8" }
local faults = loom.option { name = "faults", default = false,
  doc = "Repeat the faults of the other simulator that are options here" }

local machines = {
  { "gtx480", function() return loom.preset.gtx480 {} end },
  { "gtx480_lrr", function()
    return loom.preset.gtx480 { sm = { scheduler = loom.lrr {} } }
  end },
  { "gtx480_l1_32k", function()
    return loom.preset.gtx480 { sm = { l1d = { size_bytes = "32KiB",
                                               ways = 8 } } }
  end },
  { "titanx_l1", function() return loom.preset.titanx {} end },
  { "qv100", function() return loom.preset.qv100 {} end },
}
local on_fill = { titanx_l1 = true }
local clocks = { gtx480 = 700e6, gtx480_lrr = 700e6, gtx480_l1_32k = 700e6,
                 titanx_l1 = 1417e6, qv100 = 1132e6 } -- of the core

-- Latencies on the way to memory that every machine has; one that is at its
-- least already gets two longer ones.
local latencies = {
  { "sm[*].l1d", "hit_latency", function(gpu) return gpu.sm[0].l1d end, 0 },
  { "noc", "latency", function(gpu) return gpu.noc end, 1 },
  { "l2[*]", "hit_latency", function(gpu) return gpu.l2[0] end, 0 },
  { "dram[*]", "latency", function(gpu) return gpu.dram[0] end, 0 },
}

-- Number 0 leaves the machine as it is.
local function vary(gpu, number)
  if number == 0 then return end
  local pattern, param, of, least = table.unpack(latencies[(number + 1) // 2])
  local value = of(gpu)[param]
  local less = value > least and value - 1 or value + 2
  gpu:each(pattern):set { [param] = number % 2 == 1 and value + 1 or less }
end

-- measured[config][program][index][stat]
local measured, seen, programs = {}, {}, {}
local function node(t, key)
  t[key] = t[key] or {}
  return t[key]
end
for line in io.lines(csv ~= "" and csv or root ..
                     "/tests/validate/reference/gpgpusim.csv") do
  local program, index, kernel, config, stat, value = line:match(
    "^([^,]*),([^,]*),([^,]*),([^,]*),([^,]*),([^,]*)$")
  index = math.tointeger(index)
  if index then
    local launch = node(node(node(measured, config), program), index)
    launch[stat], launch.kernel = tonumber(value), kernel
    if not seen[program] then programs[#programs + 1] = program end
    seen[program] = true
  end
end
programs = reference.names(only, programs)
for _, name in ipairs(programs) do
  assert(seen[name], name .. ": the measurements have no such program")
end
assert(count >= 0 and count <= 2 * #latencies,
       ("there are %d variants"):format(2 * #latencies))

local function ratio(part, whole)
  return whole > 0 and 100 * part / whole or 0
end

-- Ours of a launch, as differences.
local function counts(run, config)
  local l1, l2, sm = run.stats "gpu/sm/l1d", run.stats "gpu/l2",
                     run.stats "gpu/sm"
  local misses = l1.misses + (on_fill[config] and l1.pending_hits or 0)
  return { ["warp_insts"] = sm.warp_insts,
           ["L1D.accesses"] = l1.accesses - l1.bypasses,
           ["L1D.misses"] = misses, ["L2.accesses"] = l2.accesses,
           ["L2.misses"] = l2.misses,
           ["dram.n_act"] = run.stats "gpu/dram".activates,
           ["dram.n_rd"] = run.stats "gpu/dram".reads }
end

local stats = { "cycles", "warp_insts", "L1D.accesses", "L1D.misses",
                "L1D.miss_percent", "L2.accesses", "L2.misses",
                "L2.miss_percent", "dram.n_act", "dram.n_rd" }
local rows = { "program,launch,kernel,config,stat,ours,theirs,low,high" }

local function percents(t)
  t["L1D.miss_percent"] = ratio(t["L1D.misses"], t["L1D.accesses"])
  t["L2.miss_percent"] = ratio(t["L2.misses"], t["L2.accesses"])
  return t
end

-- Ours of every launch of a program, on one variant of the machine.
local function run_program(config, machine, name, number)
  local run
  local last, launches = {}, {}
  local function after(index, launch)
    local now, ours = counts(run, config), {}
    for key, value in pairs(now) do ours[key] = value - (last[key] or 0) end
    last = now
    ours.cycles = math.floor(launch.seconds * clocks[config] + 0.5)
    launches[#launches + 1] = { index = index, ours = percents(ours) }
  end
  local inner = reference.workload(root, folder, name, after).run
  local gpu = machine()
  if faults then gpu:each "sm[*].ldst":set { local_words = "first" } end
  vary(gpu, number)
  loom.run { machine = gpu, guard = 0,
             workload = loom.workload { name = name, run = function(dev, p)
    run = dev.run
    inner(dev, p)
  end } }
  return launches
end

-- What a launch has of a stat: ours, theirs, the extremes of the variants, the
-- error and the spread, in points for ratios and else in percent of theirs.
local function beside(variants, i, theirs, stat)
  local ours = variants[0][i].ours[stat]
  local b = { ours = ours, theirs = theirs[stat] or 0, low = ours,
              high = ours }
  for number = 1, #variants do
    b.low = math.min(b.low, variants[number][i].ours[stat])
    b.high = math.max(b.high, variants[number][i].ours[stat])
  end
  local scale = stat:find "percent$" and 1 or 100 / math.max(b.theirs, 1)
  b.error = (b.ours - b.theirs) * scale
  b.spread = math.max(b.high - b.ours, b.ours - b.low) * scale
  b.outside = math.abs(b.error) > b.spread + 1e-9
  return b
end

local function cell(b, width)
  return ("%+" .. width .. ".1f +-%4.1f%s"):format(b.error, b.spread,
    count > 0 and b.outside and "*" or " ")
end

local function add(sums, b)
  sums.n = sums.n + 1
  sums.error, sums.off = sums.error + b.error, sums.off + math.abs(b.error)
  sums.ours, sums.theirs = sums.ours + b.ours, sums.theirs + b.theirs
  sums.spread = sums.spread + b.spread
  sums.worst = math.max(sums.worst, math.abs(b.error))
  sums.beyond = math.max(sums.beyond, math.abs(b.error) - b.spread)
  sums.outside = sums.outside + (b.outside and 1 or 0)
end

local function zero()
  return { n = 0, error = 0, off = 0, ours = 0, theirs = 0, spread = 0,
           worst = 0, beyond = -math.huge, outside = 0 }
end

local function compare(config, name, variants, i, sums)
  local index = variants[0][i].index
  local m = assert(measured[config][name][index],
                   ("%s: launch %d was not measured"):format(name, index))
  local theirs, of = percents(setmetatable({}, { __index = function(_, stat)
    return m[stat] or 0
  end })), {}
  for _, stat in ipairs(stats) do
    local b = beside(variants, i, theirs, stat)
    of[stat] = b
    rows[#rows + 1] = ("%s,%d,%s,%s,%s,%.10g,%.10g,%.10g,%.10g"):format(name,
      index, m.kernel, config, stat, b.ours, b.theirs, b.low, b.high)
    if stat ~= "L1D.miss_percent" or theirs["L1D.accesses"] > 0 then
      add(sums[stat], b)
    end
  end
  print(("%-14s %2d %9.0f %9d %s | %7d %7d | %8d %8d %6.1f %6.1f %s " ..
         "| %6.1f %6.1f %s | %7d %7d | %6d %6d"):format(name, index,
    of.cycles.ours, of.cycles.theirs, cell(of.cycles, 6),
    of.warp_insts.ours, of.warp_insts.theirs, of["L1D.accesses"].ours,
    of["L1D.accesses"].theirs, of["L1D.miss_percent"].ours,
    of["L1D.miss_percent"].theirs, cell(of["L1D.miss_percent"], 5),
    of["L2.miss_percent"].ours, of["L2.miss_percent"].theirs,
    cell(of["L2.miss_percent"], 5), of["dram.n_rd"].ours,
    of["dram.n_rd"].theirs, of["dram.n_act"].ours, of["dram.n_act"].theirs))
end

local function run_config(config, machine)
  local sums = {}
  for _, stat in ipairs(stats) do sums[stat] = zero() end
  for _, name in ipairs(programs) do
    if measured[config][name] then
      local variants = {}
      for number = 0, count do
        variants[number] = run_program(config, machine, name, number)
      end
      for i = 1, #variants[0] do compare(config, name, variants, i, sums) end
    end
  end
  return sums
end

local function mean(sums, what) return sums.n > 0 and sums[what] / sums.n or 0
end

local function total(sums)
  return 100 * (sums.ours / math.max(sums.theirs, 1) - 1)
end

local function summary(config, sums)
  local c, l1, l2 = sums.cycles, sums["L1D.miss_percent"],
                    sums["L2.miss_percent"]
  return ("%-14s %8d %7.2f %+7.2f %7.2f %7.2f %7d | %6.2f %+6.2f %6.2f %4d " ..
          "| %6.2f %6.2f | %+6.1f %+6.1f | %6.2f"):format(config, c.n,
    mean(c, "off"), mean(c, "error"), mean(c, "spread"), c.worst, c.outside,
    mean(l1, "off"), mean(l1, "error"), l1.worst, l1.outside, mean(l2, "off"),
    l2.worst, total(sums["dram.n_rd"]), total(sums["dram.n_act"]),
    sums.warp_insts.worst)
end

local lines, all = {}, {}
for _, entry in ipairs(machines) do
  local config, machine = entry[1], entry[2]
  if (chosen == config or chosen == "all") and measured[config] then
    print(("\n%s: cycles, warp instructions, L1D accesses and miss %%, L2 " ..
           "miss %%, DRAM reads, activates; ours and theirs; errors and " ..
           "spreads, * outside"):format(config))
    all[config] = run_config(config, machine)
    lines[#lines + 1] = summary(config, all[config])
  end
end
assert(#lines > 0, "the measurements have none of the configurations")

print("\nconfig         launches  cycles, %: mean, signed, spread, worst, " ..
      "outside | L1D, points: mean, signed, worst, outside | L2: mean, worst" ..
      " | DRAM reads, activates, % | instructions: worst, %")
print(table.concat(lines, "\n"))
for config, sums in pairs(all) do
  assert(limit == 0 or mean(sums.cycles, "off") <= limit,
         config .. ": the mean error of cycles is too large")
  assert(beyond == 0 or sums.cycles.beyond <= beyond,
         config .. ": cycles are too far outside their spread")
end
if out ~= "" then
  local file = assert(io.open(out, "w"))
  file:write(table.concat(rows, "\n"), "\n")
  file:close()
end
