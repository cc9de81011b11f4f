-- Sampled runs beside full ones: time, miss ratios, traffic and what the
-- intervals say, for a few programs.  tests/sampling has all of them on three
-- machines, which takes hours.
local loom = require "warploom"

local most = loom.option { name = "most", default = 3.0,
                           doc = "Error of time that is too much, in percent" }

-- CTAs that fill the SMs often, or launches that are alike; error of time that
-- is too much, and seed, if others than for all.  matrixmul's CTAs go in step:
-- with a last wave that is as full as it is it is 0.1 % off, else 0.6 %.
local few = {
  { "blackscholes", { pairs = 60000 } },
  { "conv2d", { rows = 1024, columns = 512 } },
  { "btree", { keys = 100000, queries = 2000, ranges = 1000 } },
  { "jacobi1d", { n = 8192, steps = 60 } },
  { "matrixmul", { n = 384 }, 0.4, 3 },
}

local columns = "%-14s %-8s %7s %7s %16s %7s %7s %7s %6s"
local failed, within, timed, rows = {}, 0, 0, {}

local function measure(preset, name, params, limit, seed)
  local full = loom.run { workload = loom.suite[name](params),
                          machine = loom.preset[preset]() }
  local part = loom.run { workload = loom.suite[name](params),
                          machine = loom.preset[preset](), sample = true,
                          seed = seed }
  local row = { off = 100 * (part.cycles / full.cycles - 1),
                interval = 196 * part.cycles_error / part.cycles,
                saved = full.busy / part.busy }
  local function change(group, stat, relative)
    local a, b = full.stats(group)[stat], part.stats(group)[stat]
    if a ~= a then return 0 end
    return 100 * (relative and (b / a - 1) or b - a)
  end
  row.l1 = change("gpu.sm.l1d", "miss_ratio")
  row.l2 = change("gpu.l2", "miss_ratio")
  row.dram = change("gpu.dram", "bytes", true)
  -- What is executed is the same.
  for _, stat in ipairs { "warp_insts", "thread_insts", "loads", "stores",
                          "barriers", "ctas" } do
    local a, b = full.stats("gpu.sm")[stat], part.stats("gpu.sm")[stat]
    if a ~= b then
      failed[#failed + 1] = ("%s on %s: %d %s, in full %d"):format(name,
        preset, b, stat, a)
    end
    if part.errors("gpu.sm")[stat] ~= 0 then
      failed[#failed + 1] = ("%s: %s is not exact"):format(name, stat)
    end
  end
  if math.abs(row.off) > (limit or most) then
    failed[#failed + 1] = ("%s on %s: %+.2f %% of time"):format(name, preset,
                                                               row.off)
  end
  if part.sampled > 0 then
    rows[#rows + 1] = row
    timed = timed + 1
    within = within + (math.abs(row.off) <= row.interval and 1 or 0)
  end
  print(columns:format(name, preset,
    ("%.1f M"):format(full.warp_insts / 1e6),
    ("%.1f %%"):format(100 * part.sampled),
    part.sampled > 0 and ("%+.2f +- %.2f %%"):format(row.off, row.interval) or
    "in full",
    ("%+.2f"):format(row.l1), ("%+.2f"):format(row.l2),
    ("%+.2f %%"):format(row.dram), ("%.1f"):format(row.saved)))
end

print(columns:format("program", "machine", "insts", "left", "time", "L1D",
                     "L2", "DRAM", "faster"))
for _, case in ipairs(few) do measure("tiny", table.unpack(case)) end

-- The one in the middle, and the one that 95 % are below, without signs.
local function rank(key, part)
  local list = {}
  for _, row in ipairs(rows) do list[#list + 1] = math.abs(row[key]) end
  table.sort(list)
  return list[math.max(1, math.ceil(part * #list))] or 0
end
for _, key in ipairs { "off", "l1", "l2", "dram" } do
  print(("%-5s median %.2f, 95th percentile %.2f"):format(
    key == "off" and "time" or key, rank(key, 0.5), rank(key, 0.95)))
end
print(("%d of %d sampled runs have the full run's time in their interval")
      :format(within, timed))
if timed == 0 then failed[1] = "no run was sampled" end
if #failed > 0 then error(table.concat(failed, "\n"), 0) end
