-- Makes the columns that plots.gp draws, and the tables of docs/validation.md.
--
-- usage: lua5.4 validation.lua FOLDER PAGE
--
-- FOLDER holds what tests/validate/all.sh has measured.  In PAGE, what stands
-- between "<!-- measured: NAME -->" and "<!-- end -->" is replaced.
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

local function write(name, lines)
  local file = assert(io.open(folder .. "/" .. name, "w"))
  file:write(table.concat(lines, "\n"), "\n")
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

local curve = rows_of("curve.csv", ";")
for i, machine in ipairs(distinct(curve, 1)) do
  local out = {}
  for _, row in ipairs(curve) do
    if row[1] == machine then
      out[#out + 1] = ("%d;%.4f;%.4f"):format(row[2], row[3], row[4])
    end
  end
  write(("curve_%d.dat"):format(i), out)
end

------------------------------------------------------------------------------
-- Micro-kernels

local micro = rows_of("micro.csv", ";")
for _, kernel in ipairs(distinct(micro, 2)) do
  local out = {}
  for _, row in ipairs(micro) do
    if row[2] == kernel then
      out[#out + 1] = ("%.6f;%.6f"):format(row[4], row[5])
    end
  end
  write(kernel .. ".dat", out)
end

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
  { "micro_chase", nil }, { "micro_alu", "int_add" },
  { "micro_alu", "int_div" }, { "micro_alu", "fp_mad" },
  { "micro_alu", "dp_add" }, { "micro_alu", "sfu" },
  { "micro_shared", "stride 0" }, { "micro_shared", "stride 2" },
  { "micro_shared", "stride 32" }, { "micro_const", "stride 8" },
  { "micro_stride", "stride 32" }, { "micro_stream", nil },
  { "micro_atomic", nil },
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

------------------------------------------------------------------------------
-- GPGPU-Sim

local both = rows_of("gpgpusim.csv", ",")
local function pick(config, stat)
  local out = {}
  for _, row in ipairs(both) do
    if row[4] == config and row[5] == stat then out[#out + 1] = row end
  end
  return out
end

local function summary(values)
  table.sort(values)
  local sum = 0
  for _, v in ipairs(values) do sum = sum + v end
  return #values > 0 and sum / #values or 0,
         values[(#values + 1) // 2] or 0, values[#values] or 0
end

table_rows = { { "configuration", "launches", "warp instructions: worst, %",
  "cycles: mean, %", "worst, %", "L1D misses: median, points", "worst",
  "L2 misses: median, points", "worst" } }
local miss = { l1 = {}, l2 = {} }
for _, config in ipairs(distinct(both, 4)) do
  local cycles, insts, gap = {}, {}, { l1 = {}, l2 = {} }
  local dat = {}
  for _, row in ipairs(pick(config, "cycles")) do
    cycles[#cycles + 1] = math.abs(row[6] / row[7] - 1) * 100
    dat[#dat + 1] = ("%.0f;%.0f"):format(row[6], row[7])
  end
  write(("cycles_%s.dat"):format(config), dat)
  for _, row in ipairs(pick(config, "warp_insts")) do
    insts[#insts + 1] = math.abs(row[6] / row[7] - 1) * 100
  end
  for level, name in pairs { l1 = "L1D", l2 = "L2" } do
    local accesses = pick(config, name .. ".accesses")
    for i, row in ipairs(pick(config, name .. ".miss_percent")) do
      if accesses[i][7] > 0 then
        table.insert(gap[level], math.abs(row[6] - row[7]))
        table.insert(miss[level], ("%.3f;%.3f"):format(row[6], row[7]))
      end
    end
  end
  local mean, _, worst = summary(cycles)
  local _, _, more = summary(insts)
  local _, l1, l1_worst = summary(gap.l1)
  local _, l2, l2_worst = summary(gap.l2)
  local function f(v) return ("%.2f"):format(v) end
  table_rows[#table_rows + 1] = { config, tostring(#cycles), f(more), f(mean),
    f(worst), f(l1), f(l1_worst), f(l2), f(l2_worst) }
end
write("miss_l1.dat", miss.l1)
write("miss_l2.dat", miss.l2)
sections.gpgpusim = aligned(table_rows)

table_rows = { { "program", "launch", "configuration", "cycles, ours",
                 "GPGPU-Sim", "%" } }
for _, row in ipairs(both) do
  if row[5] == "cycles" and math.abs(row[6] / row[7] - 1) > 0.08 then
    table_rows[#table_rows + 1] = { row[1], tostring(row[2]), row[4],
      ("%.0f"):format(row[6]), ("%.0f"):format(row[7]),
      ("%+.1f"):format((row[6] / row[7] - 1) * 100) }
  end
end
sections.far = aligned(table_rows)

------------------------------------------------------------------------------
-- Networks

local network = rows_of("network.csv", ";")
local names = {
  zero = { "latency alone, from the formula", "equal" },
  booksim = { "latency alone, BookSim", "equal" },
  latency = { "latency below 70 % of saturation, BookSim",
              "10 %, 15 % for short ones" },
  saturation = { "saturation, BookSim", "5 %" },
  beyond = { "latency between 70 and 95 % of saturation, BookSim", "none" },
  permutation = { "one channel, permutation: L / (L + 1)", "1 %" },
  ["hot spot, latency"] = {
    "hot spot, one channel, latency: queueing theory", "3 %" },
  ["hot spot"] = { "one channel, hot spot: L / (L + 1)", "1 %" },
  delivery = { "packets received under full load, of those sent", "equal" },
}
table_rows = { { "what, beside what", "cases", "median, %", "worst, %",
                 "tolerance" } }
for _, what in ipairs(distinct(network, 1)) do
  local gaps = {}
  for _, row in ipairs(network) do
    if row[1] == what then
      gaps[#gaps + 1] = math.abs(row[4] / row[5] - 1) * 100
    end
  end
  local _, median, worst = summary(gaps)
  table_rows[#table_rows + 1] = { names[what][1], tostring(#gaps),
    ("%.2f"):format(median), ("%.2f"):format(worst), names[what][2] }
end
sections.network = aligned(table_rows)

table_rows = { { "network, traffic, flits", "BookSim", "ours", "%" } }
local curves = {}
for _, row in ipairs(network) do
  if row[1] == "saturation" then
    table_rows[#table_rows + 1] = { row[2], ("%.4f"):format(row[5]),
      ("%.4f"):format(row[4]), ("%+.1f"):format((row[4] / row[5] - 1) * 100) }
  elseif row[1] == "latency" or row[1] == "beyond" then
    local name = row[2]:gsub("[^%w]+", "_")
    curves[name] = curves[name] or {}
    table.insert(curves[name], ("%.4f;%.4f;%.4f"):format(row[3], row[4],
                                                         row[5]))
  end
end
sections.saturation = aligned(table_rows)
for name, lines in pairs(curves) do write("network_" .. name .. ".dat", lines)
end

------------------------------------------------------------------------------
-- Logs

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

------------------------------------------------------------------------------

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
