-- Figures of merged files: what a sweep or `warploom merge` wrote.  Everything
-- in one is along the axis `point`, with the swept parameters as coordinates.

local import = ...
local results = import "look/results"
local figures = import "look/figures"
local shape = import "look/shape"
local suggest = import "base/suggest"

local M = {}

function M.is(file) return file.attributes.format == "warploom-sweep" end

-- For what takes files of single runs: names those that are not.
function M.refuse_any(files, what)
  for _, file in ipairs(files) do
    if M.is(file) then
      results.refuse("'%s' has many runs side by side, a sweep's or those " ..
                     "of a merged file: %s", file.path, what)
    end
  end
end

-- The axes of the experiment: { name =, names = { values in order } }.
function M.axes(file)
  local given, out = file.attributes.axes or {}, {}
  if type(given) == "string" then given = { given } end
  for i, name in ipairs(given) do
    out[i] = { name = name, names = {} }
    for k, value in ipairs(file:list("/values/" .. tostring(name),
                                                "string")) do
      out[i].names[k] = tostring(value)
    end
  end
  return out
end

-- A value of an axis as it is called: numbers are kept as floats.
local function called(axis, value)
  for _, name in ipairs(axis.names) do
    if name == value or type(value) == "number" and tonumber(name) == value then
      return name
    end
  end
  return tostring(value)
end

-- The coordinates below `group`: a table axis -> name for each row; one row
-- where there is no axis, as of a mean over all.
local function rows_of(file, axes, group)
  local rows, own = {}, {}
  for _, axis in ipairs(axes) do
    if file:has(group .. axis.name) then
      own[#own + 1] = axis
      local item = file.by_path[group .. axis.name]
      local values = file:list(item.path, item.type == "text" and "string" or
                                          "number")
      for i, value in ipairs(values) do
        rows[i] = rows[i] or {}
        rows[i][axis.name] = called(axis, value)
      end
    end
  end
  if #own == 0 then rows[1] = {} end
  return rows, own
end

-- All that can be drawn: { name =, path =, group = of its coordinates, unit =,
-- doc =, entries = labels along a second axis or nil }.
function M.columns(file)
  if file.columns then return file.columns end
  local list = {}
  for _, item in ipairs(file.items) do
    local root, name = item.path:match("^/(%w+)/(.+)$")
    local group = "/axes/"
    if root == "derived" then
      group = "/derived/" .. name:gsub("/[^/]*$", "/")
      name = name:match("^(.*)/value$")
    elseif root ~= "metrics" and root ~= "stats" then
      name = nil
    end
    if name and file:has(item.path:gsub("_stderr$", "")) and
       name:find("_stderr$") then
      name = nil
    end
    local attributes = name and item.type ~= "text" and
                       file:attributes_of(item.path)
    if attributes and attributes.CLASS ~= "DIMENSION_SCALE" then
      local function text(key)
        return type(attributes[key]) == "string" and attributes[key] or nil
      end
      list[#list + 1] = { name = name:gsub("/", "."), item = item, root = root,
        path = item.path, group = group, unit = text "units",
        doc = text "long_name", kind = text "kind",
        baseline = text "baseline", averaged = text "averaged" }
    end
  end
  file.columns = list
  return list
end

-- A column's rows: { names = { axis = value }, values = { .. }, error = the
-- standard error if the file has one and there is one value }, its axes and
-- the labels of its entries.
function M.rows(file, column)
  local coordinates, axes = rows_of(file, M.axes(file), column.group)
  local values, width = file:values(column.path), column.item.dims[2] or 1
  local rows = {}
  if type(values) ~= "table" or #values ~= #coordinates * width then
    results.refuse("'%s' is damaged: %s has another shape than its axes",
                   file.path, column.path)
  end
  local errors = column.path .. "_stderr"
  errors = width == 1 and file:has(errors) and
           file:list(errors, "number", #values) or {}
  for i, names in ipairs(coordinates) do
    rows[i] = { names = names, error = errors[i],
                values = table.move(values, (i - 1) * width + 1, i * width, 1,
                                    {}) }
  end
  local labels = column.item.dims[2] and
                 file:labels(file:axes(column.item)[2])
  return rows, axes, labels
end

-- "bench=atax,policy=gto" -> { bench = "atax", policy = "gto" }
local function conditions(text)
  local out = {}
  if text ~= nil and type(text) ~= "string" then
    results.refuse("'only' of a figure is a %s, expected \"AXIS=VALUE,..\"",
                   type(text))
  end
  for part in (text or ""):gmatch("[^,]+") do
    local name, value = part:match("^([%w_]+)=(.+)$")
    if not name then
      results.refuse("--only is '%s', expected AXIS=VALUE,..", text)
    end
    out[name] = value
  end
  return out
end

local function passes(row, only)
  for name, value in next, only do
    if row.names[name] ~= value then return false end
  end
  return true
end

local function check_only(only, axes)
  for name, value in next, only do
    local names, found = {}, nil
    for i, axis in ipairs(axes) do
      names[i] = axis.name
      if axis.name == name then found = axis end
    end
    if not found then
      results.refuse("there is no axis '%s'%s", name,
                     suggest.hint(name, names))
    end
    local known = false
    for _, one in ipairs(found.names) do known = known or one == value end
    if not known then
      results.refuse("axis '%s' has no value '%s'%s", name, value,
                     suggest.hint(value, found.names))
    end
  end
end

local function all_numbers(names)
  for _, name in ipairs(names) do
    if not tonumber(name) then return false end
  end
  return true
end

-- The axes with the value of the baseline first; numbers stay in order.
local function baseline_first(axes, baseline)
  local base, out = {}, {}
  for part in (baseline or ""):gmatch("[^,]+") do
    local name, value = part:match("^([%w_]+)=(.+)$")
    if name then base[name] = value end
  end
  for i, axis in ipairs(axes) do
    local names = table.move(axis.names, 1, #axis.names, 1, {})
    for k, name in ipairs(names) do
      if name == base[axis.name] and not all_numbers(names) then
        shape.first(names, k)
      end
    end
    out[i] = { name = axis.name, names = names }
  end
  return out
end

-- Names along some axes together, in order: { label =, key = }.
local function labels_along(axes)
  local list = { { label = "", names = {} } }
  for _, axis in ipairs(axes) do
    local longer = {}
    for _, one in ipairs(list) do
      for _, name in ipairs(axis.names) do
        local names = {}
        for k, v in next, one.names do names[k] = v end
        names[axis.name] = name
        longer[#longer + 1] = { names = names,
          label = one.label == "" and name or one.label .. " " .. name }
      end
    end
    list = longer
  end
  return list
end

local function find_row(rows, names)
  for _, row in ipairs(rows) do
    if passes(row, names) then return row end
  end
end

local function both(a, b)
  local out = {}
  for k, v in next, a do out[k] = v end
  for k, v in next, b do out[k] = v end
  return out
end

-- Axes along the figure (the first, or `by`) and those of the bars.
local function divide(axes, by, only)
  local along, across = {}, {}
  local names = {}
  for i, axis in ipairs(axes) do names[i] = axis.name end
  local first = by
  for _, axis in ipairs(axes) do
    if only[axis.name] then -- one value: it needs no place
      axis = { name = axis.name, names = { only[axis.name] } }
    end
    if axis.name == first or not first and #along == 0 and
       #axis.names > 1 then
      along[1] = axis
    elseif #axis.names > 1 then
      across[#across + 1] = axis
    end
  end
  if by and not along[1] then
    results.refuse("there is no axis '%s'%s", by, suggest.hint(by, names))
  end
  return along, across
end

-- The columns that patterns name; a column of exactly that name goes first.
function M.select(file, patterns)
  local found, names = {}, {}
  for i, column in ipairs(M.columns(file)) do names[i] = column.name end
  for _, pattern in ipairs(patterns) do
    local count, exact = #found, false
    for _, name in ipairs(names) do exact = exact or name == pattern end
    for _, column in ipairs(M.columns(file)) do
      if exact and column.name == pattern or
         not exact and results.matches(pattern, column.name) then
        found[#found + 1] = column
      end
    end
    if #found == count then
      results.refuse("'%s' has no '%s'%s", file.path, pattern,
                     suggest.hint(pattern, names))
    end
  end
  return found
end

-- Another column, which may have fewer axes, beside the bars: by the names of
-- groups, for each bar.
local function right_of(file, column, groups, bars, only)
  local rows, axes = M.rows(file, column)
  local own = column.name:match("[^.]+$")
  local right = { name = own, unit = column.unit, value = {},
                  y = figures.unit_label(own, column.unit) }
  for _, group in ipairs(groups) do
    right.value[group.label] = {}
    for b, bar in ipairs(bars) do
      local all, names = both(both(group.names, bar.names), only), {}
      for _, axis in ipairs(axes) do names[axis.name] = all[axis.name] end
      local row = find_row(rows, names)
      right.value[group.label][b] = row and row.values[1] or 0 / 0
    end
  end
  return right
end

-- For each bar the values along the figure, sorted: how many are how small.
local function cdf(figure, along)
  local lines = {}
  for b, name in ipairs(figure.bars) do
    local x, y = {}, {}
    for g in ipairs(figure.groups) do
      local value = figure.value[g][b] and figure.value[g][b][1]
      if value and value == value then x[#x + 1] = value end
    end
    table.sort(x)
    for i in ipairs(x) do y[i] = i / #x end
    lines[b] = { name = name, x = x, y = y }
  end
  return { kind = "lines", lines = lines, points = true, step = true, y_max = 1,
           title = figure.title, note = figure.note, legend = figure.legend,
           x = figure.y, y = ("share of %s"):format(along or "points") }
end

-- One column as bars, as a heat map of two axes, or as its distribution.
function M.figure(file, column, request)
  local rows, axes, labels = M.rows(file, column)
  axes = baseline_first(axes, column.baseline)
  local only = conditions(request.only)
  check_only(only, axes)
  local along, across = divide(axes, request.by, only)
  local groups, bars = labels_along(along), labels_along(across)
  local figure = { kind = "bars", title = column.name, note = column.doc,
                   unit = column.unit, groups = {}, bars = {}, value = {},
                   segments = labels or { "" }, x = along[1] and along[1].name,
                   y = figures.unit_label(column.name:match("[^.]+$"),
                                          column.unit) }
  for b, bar in ipairs(bars) do figure.bars[b] = bar.label end
  local names = {}
  for i, axis in ipairs(across) do names[i] = axis.name end
  if not labels then figure.legend = table.concat(names, ", ") end
  for g, group in ipairs(groups) do
    figure.groups[g], figure.value[g] = group.label, {}
    for b, bar in ipairs(bars) do
      local row = find_row(rows, both(both(group.names, bar.names), only))
      if row and row.error then
        figure.errors = figure.errors or {}
        figure.errors[g] = figure.errors[g] or {}
        figure.errors[g][b] = row.error
      end
      figure.value[g][b] = row and table.move(row.values, 1, #row.values, 1,
                                              {}) or {}
    end
  end
  if figure.groups[1] == "" then figure.groups[1] = column.name end
  if column.baseline and column.baseline ~= "" then
    figure.reference = 1
    figure.note = (column.doc or "") ~= "" and column.doc or
                  "Relative to " .. column.baseline:gsub(",", ", ")
  end
  if request.kind == "heat" then
    figure.kind = "heat"
    figure.rows, figure.columns = figure.groups, figure.bars
    for _, group in ipairs(figure.value) do
      for b = 1, #figure.bars do group[b] = group[b][1] end
    end
    figure.y, figure.x = figure.x, table.concat(figure.bars, ", ") ~= "" and
      (across[1] or {}).name or nil
  elseif request.kind == "cdf" then
    return cdf(figure, along[1] and along[1].name)
  elseif request.kind and request.kind ~= "bar" and request.kind ~= "stack" then
    results.refuse("--kind is '%s'; a merged file can be drawn as bar, " ..
                   "stack, heat or cdf", request.kind)
  end
  if request.right then
    local beside = M.select(file, request.right)
    if #beside > 1 then
      results.refuse("--right names %d columns, expected one", #beside)
    end
    figure.right = right_of(file, beside[1], groups, bars, only)
  end
  return figure
end

-- A small figure for each value of an axis.
local function facets(file, column, request)
  local known, axis = {}, nil
  for i, one in ipairs(M.axes(file)) do
    known[i] = one.name
    if one.name == request.facet then axis = one end
  end
  if not axis then
    results.refuse("--facet: there is no axis '%s'%s", request.facet,
                   suggest.hint(request.facet, known))
  end
  local names = axis.names
  local list = {}
  for i, name in ipairs(names) do
    local only = ("%s%s=%s"):format(request.only and request.only .. "," or "",
                                    request.facet, name)
    list[i] = M.figure(file, column, setmetatable({ only = only },
                                                  { __index = request }))
    if list[i].legend == "" then list[i].legend = nil end
  end
  return { labels = names, figures = list }
end

-- As figures.make, for a merged file.
function M.make(request)
  local file = request.files[1]
  local columns = M.select(file, request.patterns)
  if #columns > 1 then
    local names = {}
    for i, column in ipairs(columns) do names[i] = column.name end
    results.refuse("a figure of a merged file shows one column; the " ..
                   "patterns name %d: %s", #columns,
                   table.concat(names, ", ", 1, math.min(#names, 8)))
  end
  local column = columns[1]
  local figure = not request.facet and M.figure(file, column, request) or
                 facets(file, column, request)
  local first = figure.figures and figure.figures[1] or figure
  -- The mean that the script takes over the axis along the figure.
  local axis, kind = (column.averaged or ""):match("^(.*) (%a+)$")
  if not request.mean and first.kind == "bars" and axis == first.x then
    request = setmetatable({ mean = kind }, { __index = request })
  end
  if request.facet then
    return shape.facets(figure.labels, figure.figures, request)
  end
  return shape.finish(figure, request)
end

return M
