-- The merged file of a sweep, and its tables for people.
--
-- Everything is along one axis, `point`, with the swept parameters as
-- coordinates: a filter leaves no holes, and readers unstack it if they want
-- a cube.  Nothing in it depends on when, where and in which order the points
-- ran, so the same experiment gives the same bytes.

local import = ...
local core = import "core"
local files = import "script/files"
local session = import "script/session"
local keys = import "sweep/keys"
local column = import "sweep/column"
local point_module = import "sweep/point"
local results = import "look/results"
local json = import "base/json"
local records = import "base/records"
local text = import "base/text"

local M = {}

local NAN = 0 / 0

-- A metric's value at a point, and its standard error if it is an estimate.
local function value_of(point, metric)
  local result = point.result
  if not result then return NAN end
  return result.metrics[metric.name] or NAN,
         result.errors and result.errors[metric.name]
end

------------------------------------------------------------------------------
-- Derived columns

-- Metrics and derived columns by name; a derived one is made when it is first
-- asked for, so that one can be made of another.
local function table_of(sweep)
  local e = sweep.experiment
  local made, busy = {}, {}
  for _, metric in ipairs(e.metrics) do
    made[metric.name] = column.from_points(e.axes, e.points, function(point)
      return value_of(point, metric)
    end, metric.unit, metric.doc)
  end
  local t = {}
  setmetatable(t, { __index = function(_, name)
    if made[name] then return made[name] end
    local rule = e.derive[name]
    if not rule then
      error(("there is no metric or derived column '%s'"):format(
            tostring(name)), 2)
    elseif busy[name] then
      error(("derived column '%s' is made of itself"):format(name), 2)
    end
    busy[name] = true
    made[name] = rule(t)
    if not column.is(made[name]) then
      error(("derive.%s returned %s, expected a column"):format(name,
            type(made[name])), 0)
    end
    return made[name]
  end })
  return t
end

M.columns = table_of

-- List of { name =, column = }, by name; nil and why.
function M.derived(sweep)
  if sweep.derived then return sweep.derived end
  local names, list = {}, {}
  for name in next, sweep.experiment.derive do names[#names + 1] = name end
  table.sort(names)
  local t = table_of(sweep)
  for i, name in ipairs(names) do
    local ok, made = pcall(function() return t[name] end)
    if not ok then
      return nil, ("derive.%s: %s"):format(name, tostring(made))
    end
    list[i] = { name = name, column = made }
  end
  sweep.derived = list
  return list
end

------------------------------------------------------------------------------
-- Statistics of all points: totals over instances at the last snapshot

-- Is it one of the statistics that are wanted, named as columns are?
local function wanted(stat, names)
  local own = stat.path:match("^/%w+/(.*)$"):gsub("/", ".")
  for _, name in ipairs(names) do
    if name == own or results.matches(name, own) then return true end
  end
  return false
end

-- What is kept of a statistic: a number, or one for each entry of an axis that
-- has names, or whatever is `numbered`; for all instances together, and at the
-- last sample.  Nil for rates, and for ratios without what they are of.
local function merged(reader, stat, number, numbered)
  local last = reader:samples() - 1
  local values, why
  if stat.kind == "rate" or stat.kind == "ratio" and stat.inputs ~= 2 then
    return nil
  elseif stat.width > 1 and stat.kind ~= "ratio" then
    if not stat.is_labelled and not numbered then return nil end
    values, why = reader:entries(number, last, -1)
  else
    values, why = reader:total(number, last, -1)
    values = values and { values }
  end
  return values or results.refuse("%s", why)
end

-- Adds one point's statistics (those that `names` match; all, if it is nil) to
-- `all`: dataset -> { stat, labels, by_point }.
local function collect(point, all, order, names)
  local reader, why = core.reader(point.file)
  if not reader then return nil, why end
  for i, stat in ipairs(reader:stats()) do
    local values
    if not names or wanted(stat, names) then
      values = merged(reader, stat, i - 1, names ~= nil)
    end
    if values then
      local one = all[stat.path]
      if not one then
        one = { stat = stat, width = #values, by_point = {},
                labels = stat.is_labelled and reader:labels(i - 1) or nil }
        all[stat.path] = one
        order[#order + 1] = one
      end
      if one.width == #values then one.by_point[point] = values end
    end
  end
  reader:close()
  return true
end

local function put_stat(writer, points, one)
  local width, stat = one.width, one.stat
  local whole, values = true, {}
  for _, point in ipairs(points) do
    for i = 1, width do
      local own = one.by_point[point]
      whole = whole and own ~= nil and math.type(own[i]) == "integer" and
              own[i] >= 0
    end
  end
  for _, point in ipairs(points) do
    local own = one.by_point[point]
    for i = 1, width do
      local v = own and own[i] or NAN
      values[#values + 1] = whole and v or v + 0.0
    end
  end
  local scales = { "/point" }
  if width > 1 then
    local labels = one.labels or {}
    for i = 1, width do labels[i] = labels[i] or tostring(i - 1) end
    scales[2] = stat.path .. "_axis"
    writer:scale { path = scales[2], type = "text", values = labels,
                   doc = "Names along " .. stat.name }
  end
  writer:add { path = stat.path, unit = stat.unit, doc = stat.doc,
               type = whole and "u64" or "f64", scales = scales,
               values = values }
  writer:attribute(stat.path, "kind", stat.kind)
  writer:attribute(stat.path, "scope",
                   "total over instances at the end of the run")
end

local function put_stats(writer, sweep)
  local all, order = {}, {}
  local points, names = sweep.experiment.points, sweep.statistics
  if names and #names == 0 then return true end
  for _, point in ipairs(points) do
    if point.state == "done" then
      local ok, why = results.guard(collect, point, all, order, names)
      if not ok then return nil, why end
    end
  end
  table.sort(order, function(a, b) return a.stat.path < b.stat.path end)
  for _, one in ipairs(order) do put_stat(writer, points, one) end
  return true
end

------------------------------------------------------------------------------
-- The file

local function all_numbers(names)
  for _, name in ipairs(names) do
    if not tonumber(name) then return false end
  end
  return true
end

-- The coordinates of `rows` ({ names = }) below `group`, along `scale`.
local function put_axes(writer, axes, rows, group, scale)
  for _, axis in ipairs(axes) do
    local numeric, values = all_numbers(axis.names), {}
    for i, row in ipairs(rows) do
      local name = row.names[axis.name]
      values[i] = numeric and tonumber(name) + 0.0 or name
    end
    writer:add { path = group .. axis.name, scales = { scale },
                 type = numeric and "f64" or "text", values = values,
                 doc = "Value of the axis at each point" }
  end
end

local function axis_names(axes)
  local names = {}
  for i, axis in ipairs(axes) do names[i] = axis.name end
  return names
end

-- What points' files say of all their numbers: as an attribute of the root, and
-- point by point.
local function put_facts(writer, e)
  for _, name in ipairs(point_module.facts) do
    local values, unlike, seen = {}, {}, { [""] = true }
    for i, point in ipairs(e.points) do
      local said = point.result and point.result[name] or ""
      values[i] = said
      if not seen[said] then unlike[#unlike + 1] = said end
      seen[said] = true
    end
    if unlike[1] then
      writer:attribute("/", name, table.concat(unlike, "; "))
      writer:add { path = "/points/" .. name, type = "text",
                   scales = { "/point" }, values = values,
                   doc = point_module.fact_docs[name] }
    end
  end
end

local function put_points(writer, e)
  local labels, states, digests, list = {}, {}, {}, {}
  for i, point in ipairs(e.points) do
    labels[i], list[i] = point.label, point.key
    states[i] = point.state == "done" and "done" or point.state == "failed" and
                "failed" or "not run"
    digests[i] = point.result and point.result.digest or ""
  end
  writer:scale { path = "/point", type = "text", values = labels,
                 doc = "Points of the experiment" }
  put_axes(writer, e.axes, e.points, "/axes/", "/point")
  local columns = {
    { "state", states, "done, failed or not run" },
    { "digest", digests, "Digest of its machine, time and counters" },
    { "key", list, "Digest of all that the point depends on" },
  }
  for _, c in ipairs(columns) do
    writer:add { path = "/points/" .. c[1], type = "text",
                 scales = { "/point" }, values = c[2], doc = c[3] }
  end
  put_facts(writer, e)
  for _, axis in ipairs(e.axes) do
    writer:scale { path = "/values/" .. axis.name, type = "text",
                   values = axis.names, doc = "Values of the axis, in order" }
  end
end

-- The standard errors of what is at `path`, beside it as in results of runs:
-- `errors` has a number for each value, nil for one that is exact.
local function put_errors(writer, path, unit, scale, count, errors)
  if not next(errors) then return end
  local values = {}
  for i = 1, count do values[i] = errors[i] or 0.0 end
  local name = path:match("[^/]*$") .. "_stderr"
  writer:add { path = path .. "_stderr", unit = unit, type = "f64",
               doc = "Standard errors", scales = { scale }, values = values }
  writer:attribute(path, "ancillary_variables", name)
end

local function put_metrics(writer, e)
  for _, metric in ipairs(e.metrics) do
    local values, errors, path = {}, {}, "/metrics/" .. metric.name
    for i, point in ipairs(e.points) do
      values[i], errors[i] = value_of(point, metric)
    end
    writer:add { path = path, unit = metric.unit,
                 doc = metric.doc, scales = { "/point" }, values = values }
    writer:attribute(path, "coordinates",
                     table.concat(axis_names(e.axes), " "))
    put_errors(writer, path, metric.unit, "/point", #values, errors)
  end
end

local function put_derived(writer, one)
  local rows, labels, values, errors = one.column.rows, {}, {}, {}
  local group = "/derived/" .. one.name .. "/"
  if #rows == 0 then return end
  for i, row in ipairs(rows) do
    local parts = {}
    for k, axis in ipairs(one.column.axes) do
      parts[k] = axis.name .. "=" .. row.names[axis.name]
    end
    labels[i], values[i] = table.concat(parts, ","), row.value
    errors[i] = row.error
  end
  writer:scale { path = group .. "point", type = "text", values = labels,
                 doc = "What each value is of" }
  put_axes(writer, one.column.axes, rows, group, group .. "point")
  writer:add { path = group .. "value", scales = { group .. "point" },
               type = one.column.text and "text" or "f64", values = values,
               unit = one.column.unit, doc = one.column.doc }
  writer:attribute(group .. "value", "coordinates",
                   table.concat(axis_names(one.column.axes), " "))
  put_errors(writer, group .. "value", one.column.unit, group .. "point",
             #rows, errors)
  -- How papers draw it: a line at 1, and a mean at the right end.
  for _, name in ipairs { "baseline", "averaged" } do
    local said = one.column[name]
    if said then writer:attribute(group .. "value", name, said) end
  end
end

local function put_sources(writer)
  local names, texts, sums = {}, {}, {}
  for _, name in ipairs(session.source_names) do
    names[#names + 1], texts[#texts + 1] = name, session.sources[name]
    sums[#sums + 1] = core.sha256(session.sources[name])
  end
  writer:scale { path = "/meta/source/file", type = "text", values = names,
                 doc = "Scripts" }
  writer:add { path = "/meta/source/text", type = "text", values = texts,
               scales = { "/meta/source/file" }, doc = "What they say" }
  writer:add { path = "/meta/source/sha256", type = "text", values = sums,
               scales = { "/meta/source/file" }, doc = "Their digests" }
end

local function fill(writer, sweep, derived)
  local e = sweep.experiment
  local done, of_points = 0, {}
  for i, point in ipairs(e.points) do
    done = done + (point.state == "done" and 1 or 0)
    of_points[i] = point.key
  end
  writer:attribute("/", "format", "warploom-sweep")
  writer:attribute("/", "format_version", core.layout)
  writer:attribute("/", "experiment", e.name)
  writer:attribute("/", "long_name", e.doc)
  writer:attribute("/", "version", core.version)
  writer:attribute("/", "seed", session.seed)
  writer:attribute("/", "axes", axis_names(e.axes))
  writer:attribute("/", "key", core.sha256(table.concat(of_points, "\n")))
  writer:attribute("/", "status", done == #e.points and "complete" or
                   sweep.interrupted and "interrupted" or "incomplete")
  put_points(writer, e)
  put_metrics(writer, e)
  for _, one in ipairs(derived) do put_derived(writer, one) end
  put_sources(writer)
  return put_stats(writer, sweep)
end

------------------------------------------------------------------------------
-- CSV

-- Is a metric an estimate at some point?
local function uncertain(e, metric)
  for _, point in ipairs(e.points) do
    local _, err = value_of(point, metric)
    if err then return true end
  end
  return false
end

-- The names of the columns of all points, and their rows.
local function points_of(e)
  local head = axis_names(e.axes)
  head[#head + 1] = "state"
  local estimates = {}
  for _, metric in ipairs(e.metrics) do
    head[#head + 1] = metric.name
    estimates[metric] = uncertain(e, metric)
    if estimates[metric] then head[#head + 1] = metric.name .. "_stderr" end
  end
  local rows = {}
  for i, point in ipairs(e.points) do
    local row = {}
    for k, axis in ipairs(e.axes) do row[k] = point.names[axis.name] end
    local n = #e.axes + 1
    row[n] = point.state or "not run"
    for _, metric in ipairs(e.metrics) do
      local value, err = value_of(point, metric)
      n = n + 1
      row[n] = value
      if estimates[metric] then
        n = n + 1
        row[n] = err or 0.0
      end
    end
    rows[i] = row
  end
  return head, rows
end

local function derived_of(one)
  local head = axis_names(one.column.axes)
  head[#head + 1] = one.name
  local estimates = false
  for _, row in ipairs(one.column.rows) do
    estimates = estimates or row.error ~= nil
  end
  if estimates then head[#head + 1] = one.name .. "_stderr" end
  local rows = {}
  for k, row in ipairs(one.column.rows) do
    local cells = {}
    for i, axis in ipairs(one.column.axes) do
      cells[i] = row.names[axis.name]
    end
    cells[#one.column.axes + 1] = row.value
    if estimates then cells[#one.column.axes + 2] = row.error or 0.0 end
    rows[k] = cells
  end
  return head, rows
end

-- All of it as a JSON value.
function M.json(sweep)
  local derived = {}
  for _, one in ipairs(M.derived(sweep) or {}) do
    derived[one.name] = records.list(derived_of(one))
  end
  return json.encode { experiment = sweep.experiment.name,
    results = sweep.folder .. "/results.h5", derived = derived,
    points = records.list(points_of(sweep.experiment)) }
end

local function write_csv(sweep, derived)
  local ok, why = core.durable(sweep.folder .. "/results.csv",
                               records.text(points_of(sweep.experiment)))
  for _, one in ipairs(derived) do
    if ok then
      ok, why = core.durable(("%s/%s.csv"):format(sweep.folder, one.name),
                             records.text(derived_of(one)))
    end
  end
  return ok, why
end

-- points/merged has a digest of what results.h5 was made of, and of
-- results.h5: the same points again give the same file.
local function is_made(sweep, of)
  local said = of and files.read_disk(sweep.folder .. "/points/merged")
  local sha = said and core.file_digest(sweep.folder .. "/results.h5")
  return sha and said == of .. " " .. sha .. "\n"
end

local function note_made(sweep, of)
  local sha = of and core.file_digest(sweep.folder .. "/results.h5")
  if sha then
    core.durable(sweep.folder .. "/points/merged", of .. " " .. sha .. "\n")
  end
end

-- Writes results.h5, unless it is there; true, or nil and why.
function M.write(sweep, options)
  local derived, why = M.derived(sweep)
  derived = derived or {} -- points are kept; `why` is told below
  local of = not why and keys.merged(sweep) or nil
  if is_made(sweep, of) then
    if options.csv then return write_csv(sweep, derived) end
    return true
  end
  local writer, text_of = core.writer(sweep.folder .. "/results.h5")
  if not writer then return nil, text_of end
  local ok, reason = fill(writer, sweep, derived)
  if not ok then
    writer:abandon()
    return nil, reason
  end
  ok, reason = writer:close()
  if ok then note_made(sweep, of) end
  if ok and options.csv then ok, reason = write_csv(sweep, derived) end
  if not ok then return nil, reason end
  return why == nil, why
end

------------------------------------------------------------------------------
-- Tables for people

-- A value, and the half of its 95 % interval if it is an estimate.
local function shown(v, err)
  if err and type(v) == "number" and v == v then
    return ("%.4g +-%.1g"):format(v, 1.96 * err)
  end
  if type(v) ~= "number" then return v end
  if v ~= v then return "-" end
  if v == math.floor(v) and math.abs(v) < 1e15 then return text.thousands(v) end
  return ("%.4g"):format(v)
end

-- Rows: all axes but the last; columns: the last.
local function cross(one)
  local axes, rows, lines = one.column.axes, {}, {}
  local across = axes[#axes]
  local head = {}
  for i = 1, #axes - 1 do head[i] = axes[i].name end
  if #axes == 1 then head[1] = one.name end
  for _, name in ipairs(across.names) do head[#head + 1] = name end
  rows[1] = head
  local by_rest = {}
  for _, row in ipairs(one.column.rows) do
    local rest = {}
    for i = 1, #axes - 1 do rest[i] = row.names[axes[i].name] end
    local key = table.concat(rest, ",")
    if not by_rest[key] then
      if #axes == 1 then rest[1] = "" end
      by_rest[key] = rest
      rows[#rows + 1] = rest
      for _ = 1, #across.names do rest[#rest + 1] = "" end
    end
    local line = by_rest[key]
    for i, name in ipairs(across.names) do
      if name == row.names[across.name] then
        line[#line - #across.names + i] = shown(row.value, row.error)
      end
    end
  end
  local right = {}
  for i = math.max(#axes, 2), #head do right[i] = true end
  lines[1] = one.name .. (#axes > 1 and " by " .. across.name or "")
  return table.move(text.columns(rows, right, "  "), 1, #rows, 2, lines)
end

local MOST_ROWS = 40

local function metric_table(e)
  local rows, right = { axis_names(e.axes) }, {}
  for _, metric in ipairs(e.metrics) do
    rows[1][#rows[1] + 1] = metric.name
    right[#rows[1]] = true
  end
  for i, point in ipairs(e.points) do
    if i > MOST_ROWS then break end
    local row = {}
    for k, axis in ipairs(e.axes) do row[k] = point.names[axis.name] end
    for _, metric in ipairs(e.metrics) do
      row[#row + 1] = shown(value_of(point, metric))
    end
    rows[#rows + 1] = row
  end
  local lines = text.columns(rows, right, "  ")
  if #e.points > MOST_ROWS then
    lines[#lines + 1] = ("  and %d more"):format(#e.points - MOST_ROWS)
  end
  return lines
end

function M.tables(sweep)
  local derived = M.derived(sweep)
  if not derived then return {} end
  if #derived == 0 then return metric_table(sweep.experiment) end
  local lines = {}
  for _, one in ipairs(derived) do
    if #one.column.axes == 0 then
      local row = one.column.rows[1]
      lines[#lines + 1] = ("%s  %s"):format(one.name,
        row and shown(row.value, row.error) or "-")
    else
      local more = cross(one)
      table.move(more, 1, #more, #lines + 1, lines)
    end
  end
  return lines
end

-- What `warploom merge` writes as well (look/merge.lua).
M.put_points, M.put_metrics, M.put_stats = put_points, put_metrics, put_stats

return M
