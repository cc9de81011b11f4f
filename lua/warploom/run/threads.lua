-- What several threads could make of a run, as the engine has measured it on
-- one (engine/forecast.h): --threads-report.

local import = ...
local core = import "core"
local text = import "base/text"

local M = {}

local MOST = 8 -- kinds of components that are listed

-- What a row's time is made of, and what it is called where it binds.  Ticks
-- that are dealt evenly bind nothing.
local names = {
  { "serial", "the host's part, on one thread" },
  { "together", "launches that read the time" },
  { "meetings", "synchronisations" },
  { "wakes", "waking who sleeps" },
  { "steps", "steps that each thread makes" },
  { "one", "%s alone" },
  { "uneven", "uneven shares" },
}

local function kind_of(path)
  return (path:gsub("%[%d+%]", ""))
end

local function sum(row)
  local all = row.even
  for _, name in ipairs(names) do all = all + row[name[1]] end
  return all
end

-- Of equal times what comes first by that field.
local function longest_first(field)
  return function(a, b)
    if a.seconds ~= b.seconds then return a.seconds > b.seconds end
    return a[field] < b[field]
  end
end

-- Ticks by kind of component: { kind =, count =, seconds = }, longest first.
local function kinds_of(parts)
  local by, list = {}, {}
  for path, seconds in next, parts do
    local kind = kind_of(path)
    if not by[kind] then
      by[kind] = { kind = kind, count = 0, seconds = 0.0 }
      list[#list + 1] = by[kind]
    end
    by[kind].count = by[kind].count + 1
    by[kind].seconds = by[kind].seconds + seconds
  end
  table.sort(list, longest_first "kind")
  return list
end

-- What is over the even share of a row's time, by size: { text, seconds }.
local function binds(row)
  local list = {}
  for _, name in ipairs(names) do
    local words = name[2]:format(kind_of(row.longest or "a component"))
    list[#list + 1] = { text = words, seconds = row[name[1]] }
  end
  table.sort(list, longest_first "text")
  return list
end

-- What a machine says, with what the host did meanwhile: of launches that took
-- `busy` seconds in all.  Nil if the machine was not measured.
function M.of(machine, busy)
  local report = core.forecast(machine)
  if not report then return nil end
  report.kinds = kinds_of(report.parts)
  for _, row in ipairs(report) do
    row.serial = math.max(busy - report.spent, 0.0)
    row.seconds = sum(row)
    row.times = report[1].seconds / row.seconds
    row.best = report[1].seconds / (row.seconds - row.uneven - row.wakes)
    row.binds = binds(row)
  end
  return report
end

local function percent(part, whole)
  return ("%.0f %%"):format(100 * part / whole)
end

local function told(row)
  local words = {}
  for i = 1, 2 do
    local one = row.binds[i]
    if one.seconds >= 0.03 * row.seconds then
      words[#words + 1] = one.text .. " " .. percent(one.seconds, row.seconds)
    end
  end
  return table.concat(words, ", ")
end

local function part_rows(report)
  local all, rest, rows = 0.0, { count = 0, seconds = 0.0 }, {}
  for _, one in ipairs(report.kinds) do all = all + one.seconds end
  for i, one in ipairs(report.kinds) do
    if i <= MOST then
      rows[#rows + 1] = { one.kind, text.thousands(one.count),
                          percent(one.seconds, math.max(all, 1e-12)) }
    else
      rest.count = rest.count + one.count
      rest.seconds = rest.seconds + one.seconds
    end
  end
  if rest.count > 0 then
    rows[#rows + 1] = { "others", text.thousands(rest.count),
                        percent(rest.seconds, math.max(all, 1e-12)) }
  end
  return rows
end

-- The report for a program.
function M.data(report)
  local rows, parts = {}, {}
  for i, row in ipairs(report) do
    rows[i] = { threads = row.threads, seconds = row.seconds, even = row.even,
                times = row.times, best = row.best, longest = row.longest }
    for _, name in ipairs(names) do rows[i][name[1]] = row[name[1]] end
  end
  for i, one in ipairs(report.kinds) do
    parts[i] = { part = one.kind, count = one.count, seconds = one.seconds }
  end
  return { rows = rows, parts = parts, windows = report.windows // 1,
           stretches = report.stretches // 1, meeting = report.window,
           wake = report.wake, patience = report.patience,
           others = report.others, crowded = report.crowded }
end

-- The report as lines of text.
function M.lines(report)
  local lines = { ("threads: %s windows of %.2f us, %s stretches that run " ..
    "ahead; synchronisations take two threads %.2f us in each window, one " ..
    "that sleeps is awake %.1f us later"):format(
      text.thousands(report.windows // 1),
      1e6 * report[1].seconds / math.max(report.windows, 1),
      text.thousands(report.stretches // 1), 1e6 * report.window,
      1e6 * report.wake) }
  if report.crowded then
    lines[2] = "  others use the processors, so these are the fastest of many"
  end
  if report.others > 0.02 * report[1].seconds then
    lines[#lines + 1] =
      ("  others had the processor for %.2f s besides"):format(report.others)
  end
  local function add(rows, right)
    for _, line in ipairs(text.columns(rows, right, "  ")) do
      lines[#lines + 1] = line
    end
  end
  local parts = part_rows(report)
  table.insert(parts, 1, { "part", "of it", "of all ticks" })
  add(parts, { false, true, true })
  local rows = { { "threads", "seconds", "times", "at best", "what binds" } }
  for _, row in ipairs(report) do
    rows[#rows + 1] = { ("%d"):format(row.threads),
      ("%.3f"):format(row.seconds), ("%.2f"):format(row.times),
      ("%.2f"):format(row.best), told(row) }
  end
  add(rows, { true, true, true, true, false })
  return lines
end

return M
