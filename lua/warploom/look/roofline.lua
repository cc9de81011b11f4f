-- How near a kernel comes to what its machine can do: ceilings from the
-- machine's own parameters, and the rates that its launches had.
--
-- A ceiling is what every part of a kind could do in every cycle of its clock.
-- Where a machine has no such part, or sets it no limit, there is none.

local M = {}

local LANES = 32

-- Parts of the groups in `prefixes` that count `stat`: { params =, hertz = }.
local function parts(file, prefixes, stat)
  local params, out = file:params(), {}
  local paths = file:list("/topology/component/path", "string")
  local clocks = file:list("/topology/component/clock", "number", #paths)
  local hertz = {}
  for i, path in ipairs(paths) do hertz[path] = clocks[i] end
  for _, prefix in ipairs(prefixes) do
    local found = file:find(prefix .. stat)
    for _, path in ipairs(found and file:instances(found) or {}) do
      out[#out + 1] = { path = path, hertz = hertz[path] or 0,
                        params = params[path] or {} }
    end
  end
  return out
end

local function number(part, name)
  local param = part.params[name]
  return param and tonumber(param.value) or 0
end

-- The sum over parts of so much a cycle; nil if one of them has no limit.
local function ceiling(list, each)
  local sum = 0
  for _, part in ipairs(list) do
    local one = each(part)
    if one <= 0 then return nil end
    sum = sum + one * part.hertz
  end
  return sum > 0 and sum or nil
end

-- Accesses that a cache takes in a cycle.
local function accesses(part)
  local most = number(part, "accesses_per_cycle")
  return most > 0 and most or 0
end

-- { name =, unit =, rate =, most =, share = } of the launches that `k` has
-- (look/explain.lua), the nearest to its ceiling first.
function M.of(k)
  local file, seconds = k.file, 0
  for _, launch in ipairs(k.launches) do
    seconds = seconds + (launch.seconds or 0)
  end
  if seconds <= 0 or not file:has "/topology/component/clock" then return {} end
  local out = {}
  local function add(name, unit, done, most)
    if done and most then
      out[#out + 1] = { name = name, unit = unit, rate = done / seconds,
                        most = most, share = done / seconds / most }
    end
  end
  local sms = parts(file, k.parts.sm, "active_cycles")
  add("DRAM", "B/s", k:sum(k.parts.dram, "bytes"),
    ceiling(parts(file, k.parts.dram, "bytes"), function(part)
      return number(part, "bus_bytes") * number(part, "data_rate") *
             math.max(number(part, "pseudo_channels"), 1)
    end))
  add("L2", "accesses/s", k:sum(k.parts.l2, "accesses"),
      ceiling(parts(file, k.parts.l2, "accesses"), accesses))
  add("L1", "accesses/s", k:sum(k.parts.l1, "accesses"),
      ceiling(parts(file, k.parts.l1, "accesses"), accesses))
  local ops = {}
  for _, one in ipairs((k:entries(k.parts.sm, "insts"))) do
    ops[one[1]] = one[2]
  end
  -- Lanes that are on, of those there are.
  local on = k:ratio(k.parts.sm, "thread_insts", "lane_slots") or 1
  local flops = ((ops.fp_add or 0) + (ops.fp_mul or 0) +
                 2 * (ops.fp_mad or 0)) * LANES * on
  add("FP32", "FLOP/s", flops, ceiling(sms, function(part)
    local cycles = number(part, "fp_mad_interval")
    return cycles > 0 and 2 * LANES * number(part, "sp_units") / cycles or 0
  end))
  -- An instruction takes a cycle, and one more for each conflict of its banks.
  local shared = k:sum(k.parts.ldst, "shared_conflict_cycles")
  for _, kind in ipairs { "load_insts", "store_insts", "atomic_insts" } do
    shared = shared and shared + (k:sum(k.parts.ldst, kind, "shared") or 0)
  end
  add("shared memory", "cycles/s", shared,
      ceiling(sms, function() return 1 end))
  table.sort(out, function(a, b)
    if a.share ~= b.share then return a.share > b.share end
    return a.name < b.name
  end)
  return out
end

local steps = { { 1e12, "T" }, { 1e9, "G" }, { 1e6, "M" }, { 1e3, "k" },
                { 0, "" } }

local function scaled(value, unit)
  for _, step in ipairs(steps) do
    if value >= step[1] then
      return ("%.4g %s%s"):format(step[1] > 0 and value / step[1] or value,
                                  step[2], unit)
    end
  end
end

-- What explain says.
function M.tells(k)
  local words = {}
  for _, one in ipairs(M.of(k)) do
    if one.share >= 0.005 then
      words[#words + 1] = ("%s %.0f %% of %s"):format(one.name,
        100 * one.share, scaled(one.most, one.unit))
    end
  end
  return #words > 0 and table.concat(words, ", ") or nil
end

return M
