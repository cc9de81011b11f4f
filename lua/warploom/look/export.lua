-- warploom export: every number of results files as CSV, JSON or in an SQLite
-- database, one row for each, for spreadsheets and for SQL.
--
-- The database is written by the program sqlite3 (decision 0014), which reads
-- statements from a pipe.

local import = ...
local core = import "core"
local results = import "look/results"
local merged = import "look/merged"
local plot = import "look/plot"
local csv = import "base/csv"
local records = import "base/records"

local M = {}

-- Calls sink(stat, sample, instance, entry, value, in_window, series) for
-- every value of a run's file; samples from 0.  `value` is since the beginning
-- of the run, `in_window` since the sample before.
local function each_stat(file, pick, only, sink)
  local stat = pick.stat
  local axis = file:axes(stat.item)[3]
  local labels = axis and file:labels(axis)
  local paths = file:instances(stat)
  local width = stat.item.dims[3] or 1
  for sample = only or 1, only or stat.item.dims[1] do
    local values, changes = file:each(stat, sample), file:windows(stat, sample)
    for i, path in ipairs(paths) do
      if not pick.instance or
         results.instance_matches(pick.instance, path) then
        for k = 1, width do
          local at = (i - 1) * width + k
          sink(stat, sample - 1, path, labels and labels[k] or "", values[at],
               changes[at], pick.series)
        end
      end
    end
  end
end

-- All statistics and series, or those that patterns select.
local function picks_of(file, patterns)
  local out = {}
  for _, pattern in ipairs(patterns) do
    local found = file:select(pattern)
    table.move(found, 1, #found, #out + 1, out)
  end
  if #patterns == 0 then
    for _, stat in ipairs(file:stats()) do out[#out + 1] = { stat = stat } end
    for _, name in ipairs(file:series()) do
      for _, stat in ipairs(file:stats("/series/" .. name)) do
        out[#out + 1] = { stat = stat, series = name }
      end
    end
  end
  return out
end

local function each_value(file, patterns, options, sink)
  for _, pick in ipairs(picks_of(file, patterns)) do
    local only = not pick.series and options.sample and
                 file:sample(options.sample)
    each_stat(file, pick, only, sink)
  end
end

-- Times and labels of the rows of /stats or of a series.
local function moments(file, series)
  file.moments = file.moments or {}
  local key = series or ""
  if not file.moments[key] then
    local root = series and "/series/" .. series or "/stats"
    file.moments[key] = {
      time = file:list(root .. "/time", "number"),
      label = not series and file:list("/stats/label", "string") }
  end
  return file.moments[key]
end

------------------------------------------------------------------------------
-- CSV and JSON

local run_head = { "run", "series", "sample", "label", "time", "statistic",
                   "instance", "entry", "value", "unit", "in_window" }

local function write_runs(files, names, patterns, options, out)
  local add, finish = records.writer(run_head, options.json, out)
  for i, file in ipairs(files) do
    each_value(file, patterns, options,
               function(stat, sample, path, entry, value, change, series)
      local when = moments(file, series)
      add(names[i], series or "", sample, when.label and
          when.label[sample + 1] or "", when.time[sample + 1], stat.name,
          path, entry, value, stat.unit, change)
    end)
  end
  finish()
end

-- Calls sink(column, names of the axes' values, entry, value).
local function each_point(file, patterns, sink)
  local columns = #patterns > 0 and merged.select(file, patterns) or
                  merged.columns(file)
  for _, column in ipairs(columns) do
    local rows, _, labels = merged.rows(file, column)
    for _, row in ipairs(rows) do
      for k, value in ipairs(row.values) do
        sink(column, row.names, labels and labels[k] or "", value)
      end
    end
  end
end

local function write_merged(file, patterns, options, out)
  local head, axes = { "column" }, merged.axes(file)
  for _, axis in ipairs(axes) do head[#head + 1] = axis.name end
  table.move({ "entry", "value", "unit" }, 1, 3, #head + 1, head)
  local add, finish = records.writer(head, options.json, out)
  each_point(file, patterns, function(column, names, entry, value)
    local row = { column.name }
    for _, axis in ipairs(axes) do row[#row + 1] = names[axis.name] or "" end
    row[#row + 1], row[#row + 2], row[#row + 3] = entry, value, column.unit
    add(table.unpack(row, 1, #head))
  end)
  finish()
end

------------------------------------------------------------------------------
-- SQL

local function sql(v)
  if v == nil then return "NULL" end
  if type(v) == "number" then return csv.number(v) or "NULL" end
  return "'" .. v:gsub("%z", ""):gsub("'", "''") .. "'"
end

local function insert(out, name, ...)
  local cells = table.pack(...)
  for i = 1, cells.n do cells[i] = sql(cells[i]) end
  out(("INSERT INTO %s VALUES(%s);\n"):format(name,
      table.concat(cells, ",", 1, cells.n)))
end

local SCHEMA = [[
CREATE TABLE run(run INTEGER PRIMARY KEY, name TEXT, path TEXT, workload TEXT,
  machine TEXT, status TEXT, created TEXT, state_digest TEXT);
CREATE TABLE sample(run INTEGER, sample INTEGER, label TEXT, time REAL,
  cycle INTEGER, PRIMARY KEY(run, sample));
CREATE TABLE kernel(run INTEGER, kernel INTEGER, name TEXT, seconds REAL,
  sample_begin INTEGER, sample_end INTEGER, PRIMARY KEY(run, kernel));
CREATE TABLE param(run INTEGER, component TEXT, name TEXT, value TEXT,
  unit TEXT);
CREATE TABLE statistic(statistic INTEGER PRIMARY KEY, name TEXT, series TEXT,
  unit TEXT, kind TEXT, doc TEXT);
CREATE TABLE value(run INTEGER, statistic INTEGER, sample INTEGER, time REAL,
  instance TEXT, entry TEXT, value, in_window);
CREATE VIEW numbers AS SELECT run.name AS run, series, statistic.name AS
  statistic, sample, time, instance, entry, value, unit, in_window FROM value
  JOIN run USING(run) JOIN statistic USING(statistic);
]]

local function sql_params(out, file, i)
  local paths, params = {}, file:params()
  for path in next, params do paths[#paths + 1] = path end
  table.sort(paths)
  for _, path in ipairs(paths) do
    local names = {}
    for name in next, params[path] do names[#names + 1] = name end
    table.sort(names)
    for _, name in ipairs(names) do
      local one = params[path][name]
      insert(out, "param", i, path, name, one.value, one.unit)
    end
  end
end

local function sql_runs(files, names, patterns, options, out)
  out "BEGIN;\n"
  out(SCHEMA)
  local ids, count = {}, 0
  for i, file in ipairs(files) do
    local a = file.attributes
    insert(out, "run", i, names[i], file.path, a.workload, a.machine, a.status,
           a.created, a.state_digest)
    for k, s in ipairs(file:samples()) do
      insert(out, "sample", i, k - 1, s.label, s.time, s.cycle)
    end
    for k, kernel in ipairs(file:kernels()) do
      insert(out, "kernel", i, k - 1, kernel.name, kernel.seconds,
             kernel.begin - 1, kernel.end_ - 1)
    end
    sql_params(out, file, i)
    each_value(file, patterns, options,
               function(stat, sample, path, entry, value, change, series)
      local key = (series or "") .. ":" .. stat.name
      if not ids[key] then
        count = count + 1
        ids[key] = count
        insert(out, "statistic", count, stat.name, series or "", stat.unit,
               stat.kind, stat.doc)
      end
      insert(out, "value", i, ids[key], sample,
             moments(file, series).time[sample + 1], path, entry, value,
             change)
    end)
  end
  out "CREATE INDEX value_of ON value(statistic, run, sample);\nCOMMIT;\n"
end

local function sql_merged(file, patterns, _, out)
  local axes, names = merged.axes(file), {}
  for i, axis in ipairs(axes) do
    names[i] = '"' .. axis.name:gsub('"', "") .. '" TEXT'
  end
  out(("BEGIN;\nCREATE TABLE value(\"column\" TEXT, %s, entry TEXT, value, " ..
       "unit TEXT);\n"):format(table.concat(names, ", ")))
  each_point(file, patterns, function(column, values, entry, value)
    local row = { column.name }
    for i, axis in ipairs(axes) do row[i + 1] = values[axis.name] or "" end
    row[#row + 1], row[#row + 2] = entry, value
    row[#row + 1] = column.unit
    insert(out, "value", table.unpack(row))
  end)
  out "COMMIT;\n"
end

------------------------------------------------------------------------------
-- Where it goes

local function quoted(path) return "'" .. path:gsub("'", "'\\''") .. "'" end

-- A file or pipe to write to, and what puts it in its place.
local function open_out(path, is_sql)
  if path == "-" then
    return io.stdout, function() return true end
  end
  if core.sink(path) and not is_sql then
    local file, why = io.open(path, "wb")
    if not file then
      return nil, ("cannot write '%s': %s"):format(path, why)
    end
    return file, function()
      local ok
      ok, why = file:close()
      return ok, why and ("cannot write '%s': %s"):format(path, why)
    end
  end
  local temporary = path .. ".working"
  local fresh, file, why
  fresh, why = core.fresh(path, temporary)
  if not fresh then return nil, why end
  if is_sql then
    if not os.execute("command -v sqlite3 >/dev/null 2>&1") then
      results.refuse("--sqlite needs the program sqlite3 (Debian package " ..
                     "sqlite3); -o - writes the statements instead")
    end
    file, why = io.popen(("sqlite3 -bail -batch %s"):format(
      quoted(temporary:find("^[/.]") and temporary or "./" .. temporary)), "w")
  else
    file, why = io.open(temporary, "wb")
  end
  if not file then return nil, ("cannot write '%s': %s"):format(path, why) end
  return file, function()
    local ok = file:close()
    if ok then ok, why = core.move(temporary, path) end
    if not ok then
      os.remove(temporary)
      return nil, why or ("cannot write '%s'"):format(path)
    end
    return true
  end
end

local function run(paths, patterns, options)
  local files = plot.open(paths)
  local is_sql = options.sqlite
  local path = options.out or is_sql and "results.db" or "-"
  for _, file in ipairs(files) do
    if merged.is(file) and #files > 1 then
      results.refuse("'%s' is a merged file: export one of these, or files " ..
                     "of single runs", file.path)
    elseif not merged.is(file) then
      picks_of(file, patterns) -- refuses unknown names before it writes
    elseif #patterns > 0 then
      merged.select(file, patterns)
    end
  end
  local handle, finish = open_out(path, is_sql)
  if not handle then return 5, finish end
  local failed
  local function out(text)
    if not failed and not handle:write(text) then failed = true end
  end
  if merged.is(files[1]) then
    (is_sql and sql_merged or write_merged)(files[1], patterns, options, out)
  else
    (is_sql and sql_runs or write_runs)(files, plot.names(files), patterns,
                                        options, out)
  end
  local ok, why = finish()
  if not ok or failed then return 5, why or "cannot write " .. path end
  if path ~= "-" and not options.quiet then print("wrote " .. path) end
  return 0
end

function M.main(words, options)
  local paths, patterns = plot.sort(words)
  if #paths == 0 then return nil, "export needs a results file" end
  if (options.csv or options.json) and options.sqlite or
     options.csv and options.json then
    return nil, "export writes one of --csv, --json and --sqlite"
  end
  local status, why = results.guard(run, paths, patterns, options)
  if why then io.stderr:write("warploom: ", why, "\n") end
  return status or 1
end

return M
