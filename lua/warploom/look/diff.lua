-- warploom diff: what changed between two results files, in the
-- configuration and in the numbers.
--
-- Exit status as diff's: 0 equal, 1 different, 2 trouble.

local import = ...
local results = import "look/results"
local merged = import "look/merged"
local plot = import "look/plot"
local wording = import "look/words"
local text = import "base/text"
local json = import "base/json"
local records = import "base/records"

local M = {}

-- "gpu[0].sm[3].l1d" -> "gpu.sm.l1d"
local function class_of(path) return (path:gsub("%[%d+%]", "")) end

-- Parameters by class: { ["gpu.sm.l1d.size"] = { values = { text = count },
-- unit = } }.
local function by_class(file)
  local out = {}
  for path, params in next, file:params() do
    for name, param in next, params do
      local key = class_of(path) .. "." .. name
      out[key] = out[key] or { values = {}, unit = param.unit }
      out[key].values[param.value] = (out[key].values[param.value] or 0) + 1
    end
  end
  return out
end

local function value_text(entry)
  if not entry then return "-" end
  local values = {}
  for value in next, entry.values do values[#values + 1] = value end
  table.sort(values)
  if #values > 4 then return ("%d values"):format(#values) end
  for i, value in ipairs(values) do
    if #values > 1 then
      values[i] = ("%s (%d times)"):format(value, entry.values[value])
    end
  end
  local unit = entry.unit and entry.unit ~= "1" and entry.unit ~= "" and
               " " .. entry.unit or ""
  return table.concat(values, ", ") .. unit
end

local function count(entry)
  local n = 0
  for _, k in next, entry and entry.values or {} do n = n + k end
  return n
end

-- Rows { name, a, b } of what differs; of several files the values of each.
function M.params(files)
  local tables, names, seen = {}, {}, {}
  for i, file in ipairs(files) do
    tables[i] = by_class(file)
    for name in next, tables[i] do
      if not seen[name] then
        seen[name] = true
        names[#names + 1] = name
      end
    end
  end
  table.sort(names)
  local rows = {}
  for _, name in ipairs(names) do
    local row, differs = { name }, false
    for i in ipairs(files) do
      row[i + 1] = value_text(tables[i][name])
      differs = differs or row[i + 1] ~= row[2]
    end
    if differs then rows[#rows + 1] = row end
  end
  -- A different number of instances shows in no value.
  for _, name in ipairs(names) do
    for i = 2, #files do
      local a, b = count(tables[1][name]), count(tables[i][name])
      if a ~= b and a > 0 and b > 0 then
        local class = name:match("^(.*)%.[^.]+$")
        if not seen["#" .. class] then
          seen["#" .. class] = true
          local row = { class .. ", instances" }
          for k in ipairs(files) do
            row[k + 1] = tostring(count(tables[k][name]))
          end
          rows[#rows + 1] = row
        end
      end
    end
  end
  return rows
end

local function close(a, b, rel)
  if a == b or a ~= a and b ~= b then return true end
  if type(a) ~= "number" or type(b) ~= "number" then return false end
  return math.abs(a - b) <= rel * math.max(math.abs(a), math.abs(b))
end

-- Which values of two lists differ.
local function differing(a, b, rel)
  local which = {}
  for i = 1, math.max(#a, #b) do
    if not close(a[i], b[i], rel) then which[#which + 1] = i end
  end
  return which
end

local function as_list(values)
  return type(values) == "table" and values or { values }
end

local function same_shape(a, b)
  if #a.dims ~= #b.dims or a.type ~= b.type then return false end
  for i, n in ipairs(a.dims) do if b.dims[i] ~= n then return false end end
  return true
end

local function shape(item)
  return "[" .. table.concat(item.dims, ", ") .. "]"
end

-- Groups whose datasets depend on the simulation alone.
local compared = { stats = true, series = true, kernel = true, tables = true,
                   metrics = true, derived = true, axes = true, point = true,
                   values = true }

local function shown(v)
  if v == nil or v ~= v then return "-" end
  return type(v) == "number" and wording.exact(v) or tostring(v)
end

local function change(a, b)
  if type(a) ~= "number" or type(b) ~= "number" then return "" end
  if a ~= a or b ~= b then return "" end
  if a == 0 then return b == 0 and "" or "new" end
  return ("%+.3g %%"):format(100 * (b - a) / a)
end

-- The totals of a statistic at the last snapshot, if it is one.
local function totals(a, b, item)
  local name = item.path:match("^/stats/(.*)$")
  if not name or #a:samples() == 0 or #b:samples() == 0 then return nil end
  name = name:gsub("/", ".")
  return a:number(name), b:number(name)
end

local function named(path)
  return (path:gsub("^/stats/", ""):gsub("^/series/([^/]+)/", "%1:")
              :gsub("^/", ""):gsub("/", "."))
end

-- Columns by point or by kernel: each value that differs has a row.
local by_value = { metrics = true, derived = true, kernel = true }
local MOST_ROWS = 10 -- of a column, for people

-- What a column's values are of; nil if that is not for people.
local function labels_of(file, item)
  if not by_value[item.path:match("^/([^/]+)")] or #item.dims ~= 1 then
    return nil
  end
  return file:labels(file:axes(item)[1])
end

local function value_rows(name, left, right, which, labels, most)
  local rows = {}
  for k, i in ipairs(which) do
    if k > most then
      rows[k] = { name, "..", "..", "",
                  ("and %d more"):format(#which - most) }
      break
    end
    rows[k] = { ("%s of %s"):format(name, labels[i]), shown(left[i]),
                shown(right[i]), change(left[i], right[i]), "" }
  end
  return rows
end

-- The rows of what differs in an item.
local function compare_item(a, b, item, rel, most)
  local other, name = b.by_path[item.path], named(item.path)
  if not other then return { { name, "is there", "-", "" } } end
  if not same_shape(item, other) then
    local x, y = totals(a, b, item)
    return { { name, x and shown(x) or shape(item),
               y and shown(y) or shape(other), x and change(x, y) or "",
               shape(item) .. " and " .. shape(other) } }
  end
  local left = as_list(a:values(item.path))
  local right = as_list(b:values(item.path))
  local which = differing(left, right, rel)
  if #which == 0 then return {} end
  local labels = labels_of(a, item)
  if labels then
    return value_rows(name, left, right, which, labels, most)
  end
  local x, y = totals(a, b, item)
  if x == nil or close(x, y, rel) then
    x, y = left[which[1]], right[which[1]]
    return { { name, shown(x), shown(y), change(x, y),
               ("%d of %d values, the first"):format(#which, #left) } }
  end
  return { { name, shown(x), shown(y), change(x, y), "" } }
end

local function wanted(item, pattern)
  local root = item.path:match("^/([^/]+)")
  if not compared[root] or item.type == "none" then return false end
  local name = named(item.path)
  if name:find("%f[%w_]label$") and item.path ~= "/stats/label" then
    return false -- links to /stats/label
  end
  return not pattern or results.matches(pattern, (name:gsub("^%w+:", "")))
end

-- Rows { name, a, b, change, remark } of numbers that differ by more than rel,
-- at most so many of a column; of how many statistics they are.
function M.numbers(a, b, rel, pattern, most)
  local rows, seen, differ = {}, {}, 0
  for _, item in ipairs(a.items) do
    if wanted(item, pattern) and not seen[item.reference] then
      seen[item.reference] = true
      local own = compare_item(a, b, item, rel, most)
      differ = differ + (#own > 0 and 1 or 0)
      table.move(own, 1, #own, #rows + 1, rows)
    end
  end
  for _, item in ipairs(b.items) do
    if wanted(item, pattern) and not a.by_path[item.path] then
      rows[#rows + 1] = { named(item.path), "-", "is there", "" }
      differ = differ + 1
    end
  end
  return rows, differ
end

local about = { "workload", "machine", "seed", "status" }
local told = { "experiment", "version", "git_commit", "build_flags", "host" }

local function attribute(file, name)
  local value = file.attributes[name]
  if value == nil then value = file.meta[name] end
  return value == nil and "-" or tostring(value)
end

local function attributes(a, b, names)
  local rows = {}
  for _, name in ipairs(names) do
    local x, y = attribute(a, name), attribute(b, name)
    if x ~= y then rows[#rows + 1] = { name, x, y } end
  end
  return rows
end

local function print_rows(title, rows, right)
  if #rows == 0 then return end
  print(title)
  for _, line in ipairs(text.columns(rows, right, "  ")) do print(line) end
end

local function run(paths, pattern, options)
  local files = plot.open(paths)
  local a, b = files[1], files[2]
  if merged.is(a) ~= merged.is(b) then
    merged.refuse_any(files, "diff compares it with another of these, or " ..
                             "two files of single runs")
  end
  local rel = 0
  if options.rel then
    rel = tonumber(options.rel)
    if not rel or rel < 0 or rel ~= rel then
      results.refuse("--rel is '%s', expected a number from 0, such as 1e-6",
                     options.rel)
    end
  end
  local what = attributes(a, b, about)
  local params = M.params(files)
  local numbers, differ = M.numbers(a, b, rel, pattern,
                                    options.json and math.huge or MOST_ROWS)
  local different = #what + #params + #numbers > 0
  if options.json then
    local pair = { "name", "first", "second" }
    print(json.encode {
      runs = records.list(pair, what),
      configuration = records.list(pair, params),
      numbers = records.list({ "name", "first", "second", "change",
                               "remark" }, numbers),
      provenance = records.list(pair, attributes(a, b, told)) })
  elseif not options.quiet then
    print_rows("runs", what)
    print_rows("configuration", params)
    print_rows("numbers", numbers, { [2] = true, [3] = true, [4] = true })
    if different then
      print_rows("provenance", attributes(a, b, told))
      print(("%d parameters and %d statistics differ"):format(#params,
                                                              differ))
    end
  end
  return different and 1 or 0
end

function M.main(words, options)
  local paths, patterns = plot.sort(words)
  if #paths ~= 2 or #patterns > 1 then
    return nil, "diff needs two results files"
  end
  local status, why = results.guard(run, paths, patterns[1], options)
  if not status then
    io.stderr:write("warploom: ", why, "\n")
    return 2
  end
  return status
end

return M
