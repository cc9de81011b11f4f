-- Writes docs/sampling.md's tables of what programs.lua and policies.lua have
-- measured.
--
-- usage: lua5.4 page.lua PROGRAMS_CSV POLICIES_CSV PAGE
--
-- What stands between "<!-- measured: NAME -->" and "<!-- end -->" is replaced.
-- A file that is "-" leaves its tables as they are.
local programs, policies, page = assert(arg[1]), assert(arg[2]), assert(arg[3])

local function rows_of(path)
  local rows, names = {}, nil
  for line in io.lines(path) do
    local row, i = {}, 0
    for field in (line .. ","):gmatch("(.-),") do
      i = i + 1
      if names then row[names[i]] = tonumber(field) or field
      else row[i] = field end
    end
    if not names then names = row
    elseif row.state == "done" then rows[#rows + 1] = row end
  end
  return rows
end

-- Pairs of rows, full and sampled, by what both have in common.  A sampled run
-- that left nothing out is a full one.
local function pairs_of(rows, ...)
  local out, by = {}, {}
  for _, row in ipairs(rows) do
    local words = {}
    for i, name in ipairs { ... } do words[i] = row[name] end
    local key = table.concat(words, " ")
    if not by[key] then
      by[key] = {}
      out[#out + 1] = by[key]
    end
    by[key][row.mode] = row
  end
  local whole = {}
  for _, pair in ipairs(out) do
    local s = pair.sampled
    pair.full = pair.full or s and s.left == 0 and s
    if pair.full and pair.sampled then whole[#whole + 1] = pair end
  end
  return whole
end

-- The one that so much of the list is below.
local function rank(list, part)
  table.sort(list)
  return list[math.max(1, math.ceil(part * #list))] or 0 / 0
end

local function markdown(head, rows)
  local lines = { "| " .. table.concat(head, " | ") .. " |",
                  "|" .. ("---|"):rep(#head) }
  for _, row in ipairs(rows) do
    lines[#lines + 1] = "| " .. table.concat(row, " | ") .. " |"
  end
  return table.concat(lines, "\n")
end

local sections = {}

------------------------------------------------------------------------------
-- Programs

local function points(pair, name)
  local a, b = pair.full[name], pair.sampled[name]
  local numbers = type(a) == "number" and type(b) == "number"
  return numbers and a == a and b == b and 100 * (b - a) or 0
end

local function percent(pair, name)
  local a, b = pair.full[name], pair.sampled[name]
  return a > 0 and 100 * (b / a - 1) or 0
end

local function judged(pair)
  local s = pair.sampled
  return { time = percent(pair, "cycles"), l1d = points(pair, "l1d"),
           l2 = points(pair, "l2"), dram = percent(pair, "dram"),
           interval = 196 * s.error / s.cycles, left = 100 * s.left,
           faster = pair.full.host / s.host }
end

-- Of those of a machine that left something out.
local function summary(name, list)
  local by = { time = {}, l1d = {}, l2 = {}, dram = {} }
  local inside, some, logs = 0, 0, 0
  for _, one in ipairs(list) do
    logs = logs + math.log(one.faster)
    if one.left > 0 then
      some = some + 1
      inside = inside + (math.abs(one.time) <= one.interval and 1 or 0)
      for key, values in pairs(by) do
        values[#values + 1] = math.abs(one[key])
      end
    end
  end
  local row = { name, tostring(#list), tostring(some) }
  for _, key in ipairs { "time", "l1d", "l2", "dram" } do
    row[#row + 1] = ("%.2f, %.2f"):format(rank(by[key], 0.5),
                                          rank(by[key], 0.95))
  end
  row[#row + 1] = ("%d of %d"):format(inside, some)
  row[#row + 1] = ("%.2f"):format(math.exp(logs / #list))
  return row
end

if programs ~= "-" then
  local rows, by, order, machines, all = {}, {}, {}, {}, {}
  for _, pair in ipairs(pairs_of(rows_of(programs), "preset", "bench")) do
    local preset, bench = pair.full.preset, pair.full.bench
    if not by[bench] then
      by[bench], order[#order + 1] = { of = pair.full }, bench
    end
    if not machines[preset] then
      machines[preset] = {}
      machines[#machines + 1] = preset
    end
    local one = judged(pair)
    by[bench][preset] = one
    table.insert(machines[preset], one)
    table.insert(all, one)
  end
  local head = { "program", "launches", "warp insts, M" }
  for _, preset in ipairs(machines) do
    head[#head + 1] = preset .. ": left out, %"
    head[#head + 1] = "time, %"
  end
  local full = {}
  for _, bench in ipairs(order) do
    local of = by[bench].of
    local row = { bench, tostring(of.launches // 1),
                  ("%.1f"):format(of.insts / 1e6) }
    local any = false
    for _, preset in ipairs(machines) do
      local one = by[bench][preset]
      any = any or one and one.left > 0
      row[#row + 1] = one and ("%.0f"):format(one.left) or ""
      row[#row + 1] = not one and "" or one.left == 0 and "in full" or
                      ("%+.2f +- %.2f"):format(one.time, one.interval)
    end
    if any then rows[#rows + 1] = row else full[#full + 1] = bench end
  end
  sections.programs = markdown(head, rows) ..
    "\n\nIn full: " .. table.concat(full, ", ") .. "."
  rows = {}
  for _, preset in ipairs(machines) do
    rows[#rows + 1] = summary(preset, machines[preset])
  end
  if #machines > 1 then rows[#rows + 1] = summary("all", all) end
  sections.summary = markdown({ "machine", "programs", "sampled", "time, %",
    "L1D, points", "L2, points", "DRAM bytes, %", "inside the interval",
    "faster" }, rows)
end

------------------------------------------------------------------------------
-- Policies

local function speedup(pair, mode)
  return pair.without[mode].cost / pair.with[mode].cost
end

if policies ~= "-" then
  local by, order = {}, {}
  for _, pair in ipairs(pairs_of(rows_of(policies), "policy", "bench",
                                 "scheme")) do
    local row = pair.full
    local key = row.policy .. " " .. row.bench
    if not by[key] then
      by[key], order[#order + 1] = { of = row, left = 0 }, key
    end
    by[key][row.scheme] = pair
    by[key].left = math.max(by[key].left, pair.sampled.left)
  end
  -- A row a policy, a column a program; those that ran in full have none.
  local errors, turned, count = {}, 0, 0
  local names, lines, cells = { "" }, {}, {}
  for _, key in ipairs(order) do
    local one = by[key]
    if one.with and one.without then
      local full, sampled = speedup(one, "full"), speedup(one, "sampled")
      local off = 100 * (sampled / full - 1)
      count = count + 1
      if math.abs(full - 1) > 0.02 and (full - 1) * (sampled - 1) < 0 then
        turned = turned + 1
      end
      if one.left > 0 then
        local policy, bench = one.of.policy, one.of.bench
        errors[#errors + 1] = math.abs(off)
        if not cells[policy] then
          cells[policy], lines[#lines + 1] = {}, policy
        end
        if not cells[bench] then
          cells[bench], names[#names + 1] = true, bench
        end
        cells[policy][bench] = ("%.3f, %+.2f"):format(full, off)
      end
    end
  end
  local rows = {}
  for i, policy in ipairs(lines) do
    rows[i] = { policy }
    for k = 2, #names do rows[i][k] = cells[policy][names[k]] or "in full" end
  end
  sections.policies = markdown(names, rows)
  local form = "Of %d speedups %d are sampled: median error %.2f %%, worst " ..
               "%.2f %%; signs of speedups beyond 2 %% that turned: %d."
  sections.speedups = form:format(count, #errors, rank(errors, 0.5),
                                  rank(errors, 1), turned)
end

------------------------------------------------------------------------------

local file = assert(io.open(page))
local text = file:read "a"
file:close()
for name, body in pairs(sections) do
  local mark = ("<!-- measured: %s -->\n"):format(name)
  local first, last = text:find(mark, 1, true)
  assert(first, page .. " has no place for " .. name)
  local stop = assert(text:find("<!-- end -->", last, true))
  text = text:sub(1, last) .. body .. "\n" .. text:sub(stop)
end
file = assert(io.open(page, "w"))
file:write(text)
file:close()
