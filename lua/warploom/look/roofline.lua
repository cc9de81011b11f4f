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

-- Of a product of a form: floating-point operations, of 16-bit operands where
-- others would be possible.
local products = { mma = 4096, short = 2048, f64 = 512, group = 4096 }

-- FLOP of the tensor instructions of the launches, and how many a second the
-- units can do; nil where there are none or nobody knows.
local function tensor(k, sms)
  local done, form = 0, nil
  for _, launch in ipairs(k.launches) do
    local own = launch.tensor_form or ""
    if own ~= "" then
      if not products[own] or form and form ~= own then return nil end
      form = own
      local insts = 0
      for _, prefix in ipairs(k.parts.sm) do
        local stat = k.file:find(prefix .. "insts")
        local axis = stat and k.file:axes(stat.item)[3]
        local labels = axis and k.file:labels(axis) or {}
        for i, n in ipairs(stat and k.file:entries(stat, launch.end_,
                                                   launch.begin) or {}) do
          if labels[i] == "tensor" then insts = insts + n end
        end
      end
      done = done + insts * launch.tensor_parts * products[own]
    end
  end
  if not form then return nil end
  return done, ceiling(sms, function(part)
    local own = form ~= "mma" and number(part, "tensor_" .. form ..
                                         "_latency") > 0
    local cycles = number(part, own and "tensor_" .. form .. "_interval" or
                          "tensor_interval")
    local units = number(part, "tensor_units")
    if units == 0 then units = number(part, "sfu_units") end
    return cycles > 0 and units * products[form] / cycles or 0
  end)
end

-- { name =, unit =, rate =, most =, share = } of the launches that `k` has
-- (look/explain.lua), the nearest to its ceiling first; and the same by name.
-- `memory`: a part of the way to data.
function M.of(k)
  local file, seconds = k.file, 0
  for _, launch in ipairs(k.launches) do
    seconds = seconds + (launch.seconds or 0)
  end
  if seconds <= 0 or not file:has "/topology/component/clock" then
    return {}, {}
  end
  local out, named = {}, {}
  local function add(name, unit, done, most, memory)
    if done and most then
      out[#out + 1] = { name = name, unit = unit, rate = done / seconds,
                        most = most, share = done / seconds / most,
                        memory = memory }
      named[name] = out[#out]
    end
  end
  local sms = parts(file, k.parts.sm, "active_cycles")
  add("DRAM", "B/s", k:sum(k.parts.dram, "bytes"),
    ceiling(parts(file, k.parts.dram, "bytes"), function(part)
      return number(part, "bus_bytes") * number(part, "data_rate") *
             math.max(number(part, "pseudo_channels"), 1)
    end), true)
  add("L2", "accesses/s", k:sum(k.parts.l2, "accesses"),
      ceiling(parts(file, k.parts.l2, "accesses"), accesses), true)
  add("L1", "accesses/s", k:sum(k.parts.l1, "accesses"),
      ceiling(parts(file, k.parts.l1, "accesses"), accesses), true)
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
  add("tensor", "FLOP/s", tensor(k, sms))
  -- An instruction takes a cycle, and one more for each conflict of its banks.
  local shared = k:sum(k.parts.ldst, "shared_conflict_cycles")
  for _, kind in ipairs { "load_insts", "store_insts", "atomic_insts" } do
    shared = shared and shared + (k:sum(k.parts.ldst, kind, "shared") or 0)
  end
  add("shared memory", "cycles/s", shared,
      ceiling(sms, function() return 1 end), true)
  add("issue", "warp inst/s", k:sum(k.parts.sm, "warp_insts"),
      ceiling(sms, function(part) return number(part, "schedulers") end))
  table.sort(out, function(a, b)
    if a.share ~= b.share then return a.share > b.share end
    return a.name < b.name
  end)
  return out, named
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
    if one.share >= 0.005 and one.name ~= "issue" then
      words[#words + 1] = ("%s %.0f %% of %s"):format(one.name,
        100 * one.share, scaled(one.most, one.unit))
    end
  end
  return #words > 0 and table.concat(words, ", ") or nil
end

------------------------------------------------------------------------------
-- As a chart

-- The roofs, in the order of their colours, which all charts share.
local roofs = { "DRAM", "L2", "L1", "shared memory", "FP32", "tensor", "issue" }
local LEAST = 0.005 -- share of a part that is drawn

-- What a kernel's work is counted in: how much of it a second, its name, that
-- of the rate, and which ceilings are of it.
local function work(named)
  local fp, matrix = named.FP32, named.tensor
  local flops = (fp and fp.rate or 0) + (matrix and matrix.rate or 0)
  local issue = named.issue
  if flops > 0 and not (issue and flops < issue.rate * LANES / 100) then
    return flops, "FLOP", "FLOP/s", { fp, matrix }
  end
  return issue and issue.rate, "warp instructions",
         "warp instructions per second", { issue }
end

-- Parts of the way to data that are drawn, in their order, or else the busiest;
-- and the one that the horizontal axis is of: the farthest.
local function memories(named)
  local out, most = {}, nil
  for _, name in ipairs(roofs) do
    local one = named[name]
    if one and one.memory and one.rate > 0 then
      if one.share >= LEAST then out[#out + 1] = one end
      if not most or one.share > most.share then most = one end
    end
  end
  out[1] = out[1] or most
  return out, out[1]
end

local units = { ["B/s"] = "byte", ["accesses/s"] = "access",
                ["cycles/s"] = "cycle" }

-- What the point says: how near it is to the nearest roof that is drawn.
local function nearest(list)
  local best
  for _, one in ipairs(list) do
    if not best or one.share > best.share then best = one end
  end
  return ("%.2g %% of %s"):format(100 * best.share, best.name)
end

-- A figure of vega.lua of some launches; nil where nothing can be said.  A
-- part of the way to data is a slanted line: where the kernel would be if that
-- were busy in every cycle and all else were as it is.
local function chart(k)
  local _, named = M.of(k)
  local rate, of, a_second, levels = work(named)
  local parts_, axis = memories(named)
  if not rate or rate <= 0 or not axis then return nil end
  local at, top, lines = rate / axis.rate, 0, {}
  for _, one in next, levels do top = math.max(top, one.most) end
  local corner, last = math.huge, at
  for _, one in ipairs(parts_) do -- where it meets the highest ceiling
    local x = top * one.share / rate * at
    corner, last = math.min(corner, x), math.max(last, x)
  end
  local low, right = math.min(corner, at) / 8, last * 8
  local bottom = rate
  for _, one in ipairs(parts_) do
    local slope = rate / one.share / at
    lines[#lines + 1] = { name = one.name, x = { low, top / slope },
                          y = { slope * low, top } }
    bottom = math.min(bottom, slope * low)
  end
  for _, one in next, levels do
    bottom = math.min(bottom, one.most)
    lines[#lines + 1] = { name = one.name, y = { one.most, one.most },
                          x = { corner * one.most / top, right } }
  end
  local near = nearest(table.move(parts_, 1, #parts_, #levels + 1,
                                  { table.unpack(levels) }))
  return { kind = "lines", log_x = 10, log = true, lines = lines,
    x_range = { low, right }, y_range = { bottom / 1.5, top * 1.7 },
    x = ("%s per %s of %s"):format(of, units[axis.unit], axis.name == "DRAM" and
      axis.name or "the " .. axis.name), y = a_second,
    marks = { { x = at, y = rate, name = near, at_left = at / low >
      (right / low) ^ 0.7, says = ("%s: %s, %s"):format(
      k.name, scaled(rate, a_second), near) } } }
end

-- The rooflines of kernels, side by side; an error for results.guard if there
-- is none.
function M.figure(list)
  local charts = {}
  for _, k in ipairs(list) do
    local one = chart(k)
    if one then
      one.title = k.name
      charts[#charts + 1] = one
    end
  end
  if #charts == 0 then return nil end
  local names, colours = {}, {}
  for i, name in ipairs(roofs) do
    for _, one in ipairs(charts) do
      for _, line in ipairs(one.lines) do
        if line.name == name and names[#names] ~= name then
          names[#names + 1], colours[#colours + 1] = name, i
        end
      end
    end
  end
  for _, one in ipairs(charts) do one.names, one.colours = names, colours end
  local note = "A slanted line is where a kernel would be if that part were " ..
    "busy in every cycle and all else as it is"
  if #charts == 1 then
    charts[1].title, charts[1].note = "Roofline of " .. charts[1].title, note
    return charts[1]
  end
  return { kind = "facets", figures = charts, columns = math.min(#charts, 2),
           own_axes = true, title = "Rooflines", note = note }
end

return M
