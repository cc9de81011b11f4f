-- The calibration programs in time, beside what GPGPU-Sim 4.2 reported.
--
--   warploom run tests/validate/gpgpusim.lua --quiet --set config=all
--       [--set out=FILE.csv] [--set programs=a,b] [--set csv=MEASURED.csv]
--
-- prints a line per launch and a summary; `out` gets rows of program, launch,
-- kernel, config, stat, ours, theirs.  `config` is one of the reference's, or
-- all.  Misses are per lookup; where lines are allocated on fill, GPGPU-Sim
-- counts an access that joins one on its way as a miss and as an MSHR hit,
-- and we as a pending hit: there ours are misses and pending hits.
local loom = require "warploom"
local reference = require "reference"

local root = loom.option { name = "root", default = ".",
                           doc = "The source tree" }
local csv = loom.option { name = "csv", default = "",
                          doc = "Measurements of the other simulator" }
local out = loom.option { name = "out", default = "",
                          doc = "CSV of both, side by side" }
local only = loom.option { name = "programs", default = "",
                           doc = "Some of the programs, with commas" }
local limit = loom.option { name = "limit", default = 0.0,
  doc = "Fails if a configuration's mean error of cycles is above; 0: never" }
local chosen = loom.option { name = "config", default = "gtx480",
  choices = { "gtx480", "gtx480_lrr", "gtx480_l1_32k", "titanx_l1", "qv100",
              "all" }, doc = "Which machine" }

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

-- measured[config][program][index][stat]
local measured = {}
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
  end
end

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

local function theirs_of(m)
  return { cycles = m.cycles, warp_insts = m.warp_insts,
           ["L1D.accesses"] = m["L1D.accesses"] or 0,
           ["L1D.misses"] = m["L1D.misses"] or 0,
           ["L2.accesses"] = m["L2.accesses"] or 0,
           ["L2.misses"] = m["L2.misses"] or 0,
           ["dram.n_act"] = m["dram.n_act"] or 0,
           ["dram.n_rd"] = m["dram.n_rd"] or 0 }
end

local stats = { "cycles", "warp_insts", "L1D.accesses", "L1D.misses",
                "L1D.miss_percent", "L2.accesses", "L2.misses",
                "L2.miss_percent", "dram.n_act", "dram.n_rd" }
local rows = { "program,launch,kernel,config,stat,ours,theirs" }

local function percents(t)
  t["L1D.miss_percent"] = ratio(t["L1D.misses"], t["L1D.accesses"])
  t["L2.miss_percent"] = ratio(t["L2.misses"], t["L2.accesses"])
  return t
end

local function median(list)
  table.sort(list)
  return list[(#list + 1) // 2] or 0
end

local summary = {}

local function compare(config, program, index, ours, sums)
  local m = measured[config][program][index]
  local theirs = percents(theirs_of(m))
  percents(ours)
  for _, stat in ipairs(stats) do
    rows[#rows + 1] = ("%s,%d,%s,%s,%s,%.10g,%.10g"):format(program, index,
      m.kernel, config, stat, ours[stat], theirs[stat])
  end
  local error = ours.cycles / theirs.cycles - 1
  local gap = ours["L1D.miss_percent"] - theirs["L1D.miss_percent"]
  sums.error[#sums.error + 1] = math.abs(error)
  sums.insts = math.max(sums.insts,
                        math.abs(ours.warp_insts / theirs.warp_insts - 1))
  if theirs["L1D.accesses"] > 0 then
    sums.gap[#sums.gap + 1] = math.abs(gap)
  end
  sums.l2gap[#sums.l2gap + 1] =
    math.abs(ours["L2.miss_percent"] - theirs["L2.miss_percent"])
  print(("%-14s %2d %9.0f %9d %+6.1f%% | %7d %7d | %8d %8d %6.1f %6.1f " ..
         "| %8d %8d %6.1f %6.1f"):format(program, index, ours.cycles,
    theirs.cycles, 100 * error, ours.warp_insts, theirs.warp_insts,
    ours["L1D.accesses"], theirs["L1D.accesses"], ours["L1D.miss_percent"],
    theirs["L1D.miss_percent"], ours["L2.accesses"], theirs["L2.accesses"],
    ours["L2.miss_percent"], theirs["L2.miss_percent"]))
end

local function run_program(config, machine, name, sums)
  local run
  local last = {}
  local function after(index, launch)
    local now, ours = counts(run, config), {}
    for key, value in pairs(now) do ours[key] = value - (last[key] or 0) end
    last = now
    ours.cycles = launch.seconds * clocks[config]
    compare(config, name, index, ours, sums)
  end
  local workload = reference.workload(root, name, after)
  local inner = workload.run
  local gpu = machine()
  if faults then gpu:each "sm[*].ldst":set { local_words = "first" } end
  loom.run { machine = gpu, guard = 0, workload = function(dev, p)
    run = dev.run
    inner(dev, p)
  end }
end

for _, entry in ipairs(machines) do
  local config, machine = entry[1], entry[2]
  if chosen == config or chosen == "all" then
    print(("\n%s: cycles, warp instructions, L1D accesses and miss %%, L2 " ..
           "accesses and miss %%, ours and theirs"):format(config))
    local sums = { error = {}, gap = {}, l2gap = {}, insts = 0 }
    for _, name in ipairs(reference.programs) do
      if only == "" or ("," .. only .. ","):find("," .. name .. ",", 1, true)
      then
        run_program(config, machine, name, sums)
      end
    end
    local total = 0
    for _, e in ipairs(sums.error) do total = total + e end
    local n = #sums.error
    table.sort(sums.error)
    summary[#summary + 1] = n > 0 and { config, n, 100 * total / n,
      100 * sums.error[n], median(sums.gap), sums.gap[#sums.gap],
      median(sums.l2gap), sums.l2gap[#sums.l2gap], 100 * sums.insts } or nil
  end
end

print("\nconfig         launches  cycles: mean worst |error| %  " ..
      "L1D miss: median worst points  L2 miss: median worst  insts worst %")
for _, s in ipairs(summary) do
  print(("%-14s %8d  %12.1f %14.1f %21.2f %12.2f %15.2f %10.2f %12.2f")
        :format(table.unpack(s)))
end
for _, s in ipairs(summary) do
  assert(limit == 0 or s[3] <= limit, s[1] .. ": the mean error is too large")
end
if out ~= "" then
  local file = assert(io.open(out, "w"))
  file:write(table.concat(rows, "\n"), "\n")
  file:close()
end
