-- Writes the tables of docs/validation.md, and what its figures show of what
-- was measured: docs/validation/NAME.csv, which figures.lua draws.
--
-- usage: lua5.4 validation.lua FOLDER PAGE
--
-- FOLDER holds what tests/validate/all.sh has measured, or a part of it.  In
-- PAGE, what stands between "<!-- measured: NAME -->" and "<!-- end -->" is
-- replaced, if it was measured.
local folder, page = assert(arg[1]), assert(arg[2])

local function rows_of(name, separator)
  local out, first = {}, true
  for line in io.lines(folder .. "/" .. name) do
    local row = {}
    for field in (line .. separator):gmatch("(.-)" .. separator) do
      row[#row + 1] = tonumber(field) or field
    end
    if not first then out[#out + 1] = row end
    first = false
  end
  return out
end

-- What a figure of the page shows.
local function write(name, head, lines)
  local path = page:gsub("%.md$", "/") .. name .. ".csv"
  local file = assert(io.open(path, "w"))
  file:write(head, "\n", table.concat(lines, "\n"), "\n")
  file:close()
end

-- Values of a column in the order in which they come, each once.
local function distinct(rows, column)
  local seen, out = {}, {}
  for _, row in ipairs(rows) do
    if not seen[row[column]] then
      seen[row[column]] = true
      out[#out + 1] = row[column]
    end
  end
  return out
end

-- A table as Markdown with columns of equal width.
local function aligned(rows)
  local width = {}
  for _, row in ipairs(rows) do
    for i, cell in ipairs(row) do
      width[i] = math.max(width[i] or 3, utf8.len(cell))
    end
  end
  local out = {}
  local function line(cells, pad)
    local parts = {}
    for i = 1, #width do
      local cell = cells[i] or ""
      parts[i] = " " .. cell .. pad:rep(width[i] - utf8.len(cell)) .. " "
    end
    out[#out + 1] = "|" .. table.concat(parts, "|") .. "|"
  end
  line(rows[1], " ")
  line({}, "-")
  for i = 2, #rows do line(rows[i], " ") end
  return table.concat(out, "\n")
end

local sections = {}

------------------------------------------------------------------------------
-- The chase

local function chase()
  local lines = {}
  for i, row in ipairs(rows_of("curve.csv", ";")) do
    lines[i] = ("%s;%d;%.4f;%.4f"):format(table.unpack(row))
  end
  write("chase", "machine;bytes;measured;expected", lines)
end

------------------------------------------------------------------------------
-- Micro-kernels

local function micro_kernels()
  local micro = rows_of("micro.csv", ";")
  local lines = {}
  for i, row in ipairs(micro) do
    lines[i] = ("%s;%s;%s;%.6f;%.6f"):format(table.unpack(row))
  end
  write("micro", "machine;kernel;case;measured;expected", lines)

  local function off(row) return math.abs(row[4] / row[5] - 1) * 100 end

  local table_rows = { { "kernel", "measurements", "equal to 0.05 %",
                         "worst, %" } }
  local all = { 0, 0, 0.0 }
  for _, kernel in ipairs(distinct(micro, 2)) do
    local count, equal, worst = 0, 0, 0.0
    for _, row in ipairs(micro) do
      if row[2] == kernel then
        count = count + 1
        if off(row) < 0.05 then equal = equal + 1 end
        worst = math.max(worst, off(row))
      end
    end
    table_rows[#table_rows + 1] = { "`" .. kernel .. "`", tostring(count),
                                    tostring(equal), ("%.2f"):format(worst) }
    all = { all[1] + count, all[2] + equal, math.max(all[3], worst) }
  end
  table_rows[#table_rows + 1] = { "all", tostring(all[1]), tostring(all[2]),
                                  ("%.2f"):format(all[3]) }
  sections.micro = aligned(table_rows)

  local examples = {
    { "micro_chase", "8 KiB" }, { "micro_chase", "384 KiB" },
    { "micro_chase", "2304 KiB" }, { "micro_alu", "int_div" },
    { "micro_alu", "fp_mad" }, { "micro_shared", "stride 2" },
    { "micro_shared", "stride 32" }, { "micro_const", "stride 8" },
    { "micro_stride", "stride 32" }, { "micro_stream", nil },
    { "micro_atomic", "one word" },
  }
  table_rows = { { "kernel", "case", "cycles measured", "from parameters",
                   "what it is, or what binds" } }
  for _, example in ipairs(examples) do
    for _, row in ipairs(micro) do
      if row[1] == "gtx480" and row[2] == example[1] and
         (not example[2] or
          row[3]:find("^" .. example[2] .. "%f[^%w]")) then
        table_rows[#table_rows + 1] = { "`" .. row[2] .. "`", row[3],
          ("%.3f"):format(row[4]), ("%.3f"):format(row[5]), row[6] }
      end
    end
  end
  sections.gtx480 = aligned(table_rows)
end

------------------------------------------------------------------------------
-- GPGPU-Sim

local function gpgpusim()
  -- What a row says, with the error and the spread: points of ratios, else
  -- percent of theirs.
  local function judge(row)
    local b = { program = row[1], launch = row[2], config = row[4],
                stat = row[5], ours = row[6], theirs = row[7] }
    local points = b.stat:find "percent$"
    local scale = points and 1 or 100 / math.max(b.theirs, 1)
    b.error = (b.ours - b.theirs) * scale
    b.spread = math.max(row[9] - b.ours, b.ours - row[8]) * scale
    b.beyond = math.abs(b.error) - b.spread
    return b
  end

  local function judged(name)
    local out = {}
    for _, row in ipairs(rows_of(name, ",")) do out[#out + 1] = judge(row) end
    return out
  end

  local both = judged "gpgpusim.csv"
  local function key_of(b, stat)
    return table.concat({ b.config, b.program, b.launch, stat }, " ")
  end
  local by_key = {}
  for _, b in ipairs(both) do by_key[key_of(b, b.stat)] = b end
  local function pick(config, stat)
    local out, level = {}, stat:match "^(.*)%.miss_percent$"
    for _, b in ipairs(both) do
      if b.config == config and b.stat == stat and
         (not level or by_key[key_of(b, level .. ".accesses")].theirs > 0) then
        out[#out + 1] = b
      end
    end
    return out
  end

  -- The mean of |error|, of errors and of spreads, the largest |error|, how
  -- many are outside their spread and how far the farthest is.
  local function summary(list)
    local off, signed, spread, worst, outside, beyond = 0, 0, 0, 0, 0, 0
    for _, b in ipairs(list) do
      off, signed, spread = off + math.abs(b.error), signed + b.error,
                            spread + b.spread
      worst, beyond = math.max(worst, math.abs(b.error)),
                      math.max(beyond, b.beyond)
      outside = outside + (b.beyond > 1e-9 and 1 or 0)
    end
    local n = math.max(#list, 1)
    return off / n, signed / n, spread / n, worst, outside, beyond
  end

  -- All launches together, in percent.
  local function total(list)
    local ours, theirs = 0, 0
    for _, b in ipairs(list) do
      ours, theirs = ours + b.ours, theirs + b.theirs
    end
    return 100 * (ours / math.max(theirs, 1) - 1)
  end

  local cycle_rows = { { "configuration", "launches",
    "warp instructions: worst, %", "cycles: mean error, %", "signed", "worst",
    "mean spread, %", "outside it", "by, at the most" } }
  local memory_rows = { { "configuration", "L1D misses: mean error, points",
    "signed", "worst", "outside", "L2 misses: mean error, points", "signed",
    "worst", "outside", "DRAM reads, all together, %", "outside",
    "activates, all together, %", "outside" } }
  local launches, misses = {}, {}
  local function note(list, b, what, format)
    list[#list + 1] = ("%s;%s;%d;" .. format .. ";" .. format):format(what,
      b.program, b.launch, b.ours, b.theirs)
  end
  for _, config in ipairs(distinct(rows_of("gpgpusim.csv", ","), 4)) do
    local cycles = pick(config, "cycles")
    for _, b in ipairs(cycles) do note(launches, b, config, "%.0f") end
    local _, _, _, more = summary(pick(config, "warp_insts"))
    local off, signed, spread, worst, outside, beyond = summary(cycles)
    cycle_rows[#cycle_rows + 1] = { config, tostring(#cycles),
      ("%.2f"):format(more), ("%.2f"):format(off), ("%+.2f"):format(signed),
      ("%.1f"):format(worst), ("%.2f"):format(spread), tostring(outside),
      ("%.1f"):format(beyond) }
    local row = { config }
    for _, level in ipairs { "L1D", "L2" } do
      local ratios = pick(config, level .. ".miss_percent")
      for _, b in ipairs(ratios) do
        note(misses, b, level .. ";" .. config, "%.3f")
      end
      off, signed, _, worst, outside = summary(ratios)
      table.move({ ("%.3f"):format(off), ("%+.3f"):format(signed),
                   ("%.2f"):format(worst), tostring(outside) },
                 1, 4, #row + 1, row)
    end
    for _, stat in ipairs { "dram.n_rd", "dram.n_act" } do
      local list = pick(config, stat)
      row[#row + 1] = ("%+.1f"):format(total(list))
      row[#row + 1] = tostring((select(5, summary(list))))
    end
    memory_rows[#memory_rows + 1] = row
  end
  write("cycles", "config;program;launch;ours;theirs", launches)
  write("misses", "level;config;program;launch;ours;theirs", misses)
  sections.gpgpusim = aligned(cycle_rows)
  sections.gpgpusim_memory = aligned(memory_rows)

  -- Launches outside their spread, those of a program and configuration in a
  -- row: the numbers of the launches, the errors and the largest spread.
  local named = {
    { "cycles", "cycles, %", 1, 0 },
    { "L1D.miss_percent", "L1D, points", 0.1, 0 },
    { "dram.n_rd", "DRAM reads, %", 1, 10 },
    { "dram.n_act", "activates, %", 1, 10 },
  }
  local table_rows = { { "what", "program", "configuration", "launches",
                         "error", "spread" } }
  for _, what in ipairs(named) do
    local groups, order = {}, {}
    for _, b in ipairs(both) do
      if b.stat == what[1] and b.beyond > what[3] and
         math.abs(b.ours - b.theirs) >= what[4] then
        local key = b.program .. b.config
        if not groups[key] then order[#order + 1] = key end
        groups[key] = groups[key] or { of = b, launches = {}, low = b.error,
                                       high = b.error, spread = 0 }
        local g = groups[key]
        g.launches[#g.launches + 1] = tostring(b.launch)
        g.low, g.high = math.min(g.low, b.error), math.max(g.high, b.error)
        g.spread = math.max(g.spread, b.spread)
      end
    end
    for i, key in ipairs(order) do
      local g = groups[key]
      table_rows[#table_rows + 1] = { i == 1 and what[2] or "",
        g.of.program, g.of.config,
        table.concat(g.launches, ", "),
        #g.launches == 1 and ("%+.1f"):format(g.low) or
        ("%+.1f to %+.1f"):format(g.low, g.high), ("%.1f"):format(g.spread) }
    end
  end
  sections.outside = aligned(table_rows)

  -- What the faults of the other simulator do, where they do anything.
  local plain = judged "gpgpusim_plain.csv"
  local without = {}
  for _, b in ipairs(plain) do without[key_of(b, b.stat)] = b end
  table_rows = { { "program", "launch", "configuration",
                   "cycles, %: not repeated", "repeated",
                   "L1D misses, points: not repeated", "repeated" } }
  for _, b in ipairs(plain) do
    local with = b.stat == "cycles" and by_key[key_of(b, "cycles")]
    if with and with.ours ~= b.ours then
      local l1 = key_of(b, "L1D.miss_percent")
      table_rows[#table_rows + 1] = { b.program, tostring(b.launch), b.config,
        ("%+.1f"):format(b.error), ("%+.1f"):format(with.error),
        ("%+.2f"):format(without[l1].error),
        ("%+.2f"):format(by_key[l1].error) }
    end
  end
  sections.faults = aligned(table_rows)
end

------------------------------------------------------------------------------
-- Networks

local function networks()
  local network = rows_of("network.csv", ";")
  local names = {
    zero = { "latency alone, from the formula", "equal" },
    booksim = { "latency alone, BookSim", "equal" },
    latency = { "latency below 70 % of saturation, BookSim",
                "10 %, 15 % for short ones" },
    saturation = { "saturation, BookSim", "5 %" },
    near = { "latency from 70 to 95 % of saturation, BookSim, 8 seeds",
             "5 %, meshes with several channels 10 %, and two errors" },
    permutation = { "one channel, permutation: L / (L + 1)", "1 %" },
    ["hot spot, latency"] = {
      "hot spot, one channel, latency: queueing theory", "3 %" },
    ["hot spot"] = { "one channel, hot spot: L / (L + 1)", "1 %" },
    delivery = { "packets received under full load, of those sent", "equal" },
  }
  local table_rows = { { "what, beside what", "cases", "median, %", "worst, %",
                   "tolerance" } }
  for _, what in ipairs(distinct(network, 1)) do
    local gaps = {}
    for _, row in ipairs(network) do
      if row[1] == what then
        gaps[#gaps + 1] = math.abs(row[4] / row[5] - 1) * 100
      end
    end
    table.sort(gaps)
    local median, worst = gaps[(#gaps + 1) // 2], gaps[#gaps]
    table_rows[#table_rows + 1] = { names[what][1], tostring(#gaps),
      ("%.2f"):format(median), ("%.2f"):format(worst), names[what][2] }
  end
  sections.network = aligned(table_rows)

  -- A case of both components is one row.
  table_rows = { { "network, traffic, flits", "BookSim", "`loom.network`", "%",
                   "`loom.crossbar`", "%" } }
  local curves, cases = {}, {}
  local drawn = { ["mesh8x8_4vc uniform 1"] = true,
    ["mesh8x8_4vc uniform 4"] = true, ["xbar27_4vc uniform 4"] = true,
    ["xbar27_gpgpusim3 uniform 4"] = true }
  for _, row in ipairs(network) do
    if row[1] == "saturation" then
      local name, crossbar = row[2]:gsub(", loom.crossbar$", "")
      if not cases[name] then
        cases[name] = { name, ("%.4f"):format(row[5]), "-", "-", "-", "-" }
      end
      local at = crossbar == 1 and 5 or 3
      local off = (row[4] / row[5] - 1) * 100
      cases[name][at] = ("%.4f"):format(row[4])
      cases[name][at + 1] = ("%+.1f"):format(off)
      if math.abs(off) >= 1 and not cases[name].shown then
        cases[name].shown = true
        table_rows[#table_rows + 1] = cases[name]
      end
    elseif (row[1] == "latency" or row[1] == "near") and drawn[row[2]] then
      curves[#curves + 1] = ("%s;%.4f;%.4f;%.4f"):format(table.unpack(row, 2))
    end
  end
  sections.saturation = aligned(table_rows)
  write("network", "case;offered;measured;expected", curves)
end

------------------------------------------------------------------------------
-- Logs

local function logs()
  local function last_line(name, with)
    local found
    for line in io.lines(folder .. "/" .. name) do
      if line:find(with, 1, true) then found = line end
    end
    return found or error(name .. " has no line with " .. with)
  end

  local equal, different = 0, 0
  for line in io.lines(folder .. "/threads.txt") do
    if line:find "equal$" then equal = equal + 1 end
    if line:find "DIFFERENT" then different = different + 1 end
  end
  sections.runs = aligned {
    { "what", "result" },
    { "cache configurations against a model of contents",
      last_line("matrix.txt", "configurations agree"):match "%d+ conf.*" },
    { "random machines", last_line("random.txt", "machines,") },
    { "machines with a mistake", last_line("invalid.txt", "mistakes of") },
    { "programs with 1, 2 and 4 threads",
      ("%d with equal digests, %d with different ones"):format(equal,
                                                               different) },
  }
end

------------------------------------------------------------------------------

local function measured(name)
  local file = io.open(folder .. "/" .. name)
  if file then file:close() end
  return file ~= nil
end
for _, part in ipairs {
  { "curve.csv", chase },
  { "micro.csv", micro_kernels },
  { "gpgpusim.csv", gpgpusim },
  { "network.csv", networks },
  { "threads.txt", logs },
} do
  if measured(part[1]) then part[2]() end
end

local file = assert(io.open(page))
local text = file:read "a"
file:close()
for name, content in pairs(sections) do
  local head = ("<!-- measured: %s -->\n"):format(name)
  local from = select(2, text:find(head, 1, true))
  assert(from, page .. " has no section " .. name)
  local to = assert(text:find("<!-- end -->", from, true))
  text = text:sub(1, from) .. content .. "\n" .. text:sub(to)
end
file = assert(io.open(page, "w"))
file:write(text)
file:close()
