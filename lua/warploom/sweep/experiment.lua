-- loom.experiment: axes, points, and what is measured at each.
--
-- A script declares one experiment.  `warploom sweep` (sweep.lua) lists its
-- points and starts a process for each; that process runs the same script
-- with session.point set, and the experiment runs that one point.

local import = ...
local core = import "core"
local session = import "script/session"
local suggest = import "base/suggest"
local record = import "machine/record"
local unit = import "base/unit"
local poison = import "base/poison"
local run_module = import "run/run"
local run_errors = import "run/errors"

local M = {}

local fields = { "name", "doc", "axes", "order", "filter", "base", "metrics",
                 "derive", "figures", "differs" }

local function problem(e, key, fmt, ...)
  session.problem("experiment", fmt:format(...),
                  key and session.field(e.site, "experiment", key) or e.site)
end

------------------------------------------------------------------------------
-- Axes

-- How a value is called if it has no name of its own; nil if it must have.
local function name_of(value)
  if record.is_policy(value) or record.is_component(value) then
    return record.data(value).type.name
  end
  local kind = math.type(value) or type(value)
  if kind == "integer" or kind == "string" or kind == "boolean" then
    return tostring(value)
  elseif kind == "float" then
    return ("%.14g"):format(value)
  end
end

local function is_row(value)
  return type(value) == "table" and not getmetatable(value) and
         type(value.name) == "string" and value.value ~= nil
end

local function add_value(e, axis, name, value)
  if type(name) ~= "string" or name == "" or name:find("[%c/,=]") then
    problem(e, "axes", "a value of axis '%s' has no name; write { name = " ..
            "\"..\", value = .. } without / , and =", axis.name)
  elseif axis.value[name] ~= nil then
    problem(e, "axes", "axis '%s' has two values called '%s'", axis.name, name)
  else
    axis.names[#axis.names + 1] = name
    axis.value[name] = value
  end
end

-- A list keeps its order; a table of named values is sorted by name.
local function make_axis(e, name, given)
  local axis = { name = name, names = {}, value = {} }
  if type(name) ~= "string" or not name:find("^[a-z][a-z0-9_]*$") or
     name == "point" or name == "names" then
    problem(e, "axes", "axis %s: expected a name of a-z, 0-9 and _ that is " ..
            "not 'point' or 'names'", unit.quote(name))
  end
  if type(given) ~= "table" or getmetatable(given) or next(given) == nil then
    problem(e, "axes", "axis '%s' is %s, expected a list or a table of " ..
            "values", tostring(name), unit.quote(given))
    return axis
  end
  if #given > 0 then
    for _, value in ipairs(given) do
      if is_row(value) then
        add_value(e, axis, value.name, value.value)
      else
        add_value(e, axis, name_of(value), value)
      end
    end
  else
    for _, key in ipairs(record.sorted_keys(given)) do
      add_value(e, axis, tostring(key), given[key])
    end
  end
  return axis
end

local function make_axes(e, given, order)
  local names = record.sorted_keys(given)
  if order ~= nil then
    local left = {}
    for _, name in ipairs(names) do left[name] = true end
    for _, name in ipairs(type(order) == "table" and order or {}) do
      if not left[name] then
        problem(e, "order", "there is no axis %s, or it is named twice%s",
                unit.quote(name), suggest.hint(tostring(name), names))
      end
      left[name] = nil
    end
    for name in next, left do
      problem(e, "order", "axis '%s' is missing", tostring(name))
    end
    names = order
  end
  for _, name in ipairs(names) do
    if given[name] ~= nil then
      e.axes[#e.axes + 1] = make_axis(e, name, given[name])
    end
  end
end

------------------------------------------------------------------------------
-- Points

local function parameters(e, names)
  local p = { names = names }
  for _, axis in ipairs(e.axes) do
    p[axis.name] = axis.value[names[axis.name]]
  end
  return p
end

local function label(e, names)
  local parts = {}
  for i, axis in ipairs(e.axes) do
    parts[i] = axis.name .. "=" .. names[axis.name]
  end
  return table.concat(parts, ",")
end

-- The product of the axes, the last one fastest, minus what the filter
-- refuses.
local function make_points(e)
  local names = {}
  local function visit(depth)
    local axis = e.axes[depth]
    if not axis then
      local own = {}
      for key, value in next, names do own[key] = value end
      if not e.filter or e.filter(parameters(e, own)) then
        e.points[#e.points + 1] = { names = own, label = label(e, own),
                                    number = #e.points + 1 }
      end
      return
    end
    for _, name in ipairs(axis.names) do
      names[axis.name] = name
      visit(depth + 1)
    end
  end
  visit(1)
end

------------------------------------------------------------------------------
-- Metrics

local usual = {
  { name = "cycles", unit = "cycle", doc = "Cycles of the run",
    value = function(run) return run.cycles end },
  { name = "warp_insts", unit = "warp_inst", doc = "Warp instructions",
    value = function(run) return run.warp_insts end },
  { name = "ipc", unit = "warp_inst/cycle",
    doc = "Warp instructions per cycle of the whole GPU",
    value = function(run) return run.warp_insts / run.cycles end },
}

local function by_path(metric, path)
  metric.group, metric.stat = path:match("^(.*)[./]([%w_]+)$")
  return function(run) return run.stats(metric.group)[metric.stat] end
end

local function make_metric(e, name, given)
  local metric = { name = name, unit = "1", doc = "" }
  local value = given
  if type(given) == "table" then
    metric.unit, metric.doc = given.unit or "1", given.doc or ""
    value = given.value
  end
  if type(name) ~= "string" or not name:find("^[a-z][a-z0-9_]*$") then
    problem(e, "metrics", "metric %s: expected a name of a-z, 0-9 and _",
            unit.quote(name))
  end
  if type(value) == "string" and value:find("[%w_%]][./][%w_]+$") then
    metric.doc = metric.doc ~= "" and metric.doc or value
    value = by_path(metric, value)
  end
  if type(value) ~= "function" then
    problem(e, "metrics", "metric '%s' is %s, expected function(run) or the " ..
            "path of a statistic, such as \"gpu/sm/l1d.miss_ratio\"",
            tostring(name), unit.quote(given))
    value = function() return 0 end
  end
  metric.value = value
  return metric
end

local function make_metrics(e, given)
  if given == nil then
    e.metrics = usual
    return
  end
  e.metrics = {}
  for _, name in ipairs(record.sorted_keys(given)) do
    e.metrics[#e.metrics + 1] = make_metric(e, name, given[name])
  end
end

-- What was thrown, in words; a signal is not a metric's.
function M.reason(e)
  if getmetatable(e) == session.Stop and e.kind == "interrupted" then
    error(e, 0)
  end
  return getmetatable(e) == session.Stop and e.text or tostring(e)
end

-- Numbers as they are kept, NaN where there is none; second, the standard
-- errors of those that are estimates.
function M.measure(e, run)
  local out, errors = {}, {}
  for _, metric in ipairs(e.metrics) do
    local ok, value = pcall(metric.value, run)
    if not ok then
      session.stop("metric", ("metric '%s': %s"):format(metric.name,
                                                        M.reason(value)))
    elseif type(value) ~= "number" then
      session.stop("metric", ("metric '%s' gives %s, expected a number " ..
        "(0/0 says that there is none)"):format(metric.name,
                                                unit.quote(value)))
    end
    out[metric.name] = value + 0.0
    local known, err = pcall(run_errors.of, run, metric.value)
    if not known then err = 0 / 0 end
    if err ~= 0 then errors[metric.name] = err end
  end
  return out, errors
end

------------------------------------------------------------------------------
-- Declaring

local function check_shape(e, spec)
  for _, key in ipairs(record.sorted_keys(spec)) do
    local known = false
    for _, name in ipairs(fields) do known = known or name == key end
    if not known then
      problem(e, key, "there is no field '%s'%s", tostring(key),
              suggest.hint(tostring(key), fields))
    end
  end
  local kinds = { axes = "table", base = "function", filter = "function",
                  metrics = "table", derive = "table", order = "table",
                  figures = "table", differs = "string" }
  for _, key in ipairs { "axes", "base", "derive", "differs", "figures",
                         "filter", "metrics", "order" } do
    local value = spec[key]
    if type(value) ~= kinds[key] and
       (value ~= nil or key == "axes" or key == "base") then
      problem(e, key, "'%s' is %s, expected a %s", key, unit.quote(value),
              kinds[key])
    end
  end
  for name, rule in next, type(spec.derive) == "table" and spec.derive or {} do
    if type(name) ~= "string" or not name:find("^[a-z][a-z0-9_]*$") or
       type(rule) ~= "function" then
      problem(e, "derive", "%s is %s, expected name = function(t)",
              tostring(name), unit.quote(rule))
    end
  end
end

local figure_fields = { "column", "by", "kind", "only", "mean", "share",
                        "title", "note", "y" }

-- What a report of the experiment draws (papers/page.lua).
local function check_figures(e, given)
  for _, one in ipairs(given) do
    if type(one) ~= "table" or type(one.column) ~= "string" then
      problem(e, "figures", "a figure is %s, expected { column = .. }",
              unit.quote(one))
    else
      local known = {}
      for _, metric in ipairs(e.metrics) do known[#known + 1] = metric.name end
      for name in next, e.derive do known[#known + 1] = name end
      table.sort(known)
      local found = one.column:find(".", 1, true) -- of the results file
      for _, name in ipairs(known) do found = found or name == one.column end
      if not found then
        problem(e, "figures", "there is no metric or derived column '%s'%s",
                one.column, suggest.hint(one.column, known))
      end
      for _, key in ipairs(record.sorted_keys(one)) do
        local good = false
        for _, name in ipairs(figure_fields) do good = good or name == key end
        if not good then
          problem(e, "figures", "there is no field '%s' of a figure%s",
                  tostring(key), suggest.hint(tostring(key), figure_fields))
        end
      end
    end
  end
  return given
end

local function declare(spec, site)
  local e = { site = site, axes = {}, points = {} }
  check_shape(e, spec)
  e.name = type(spec.name) == "string" and spec.name:find("^[%w_%-]+$") and
           spec.name
  if not e.name then
    problem(e, "name", "'name' is %s, expected a word of letters, digits, " ..
            "_ and -", unit.quote(spec.name))
  end
  e.doc = spec.doc or ""
  e.base, e.derive = spec.base, spec.derive or {}
  e.filter = type(spec.filter) == "function" and spec.filter
  make_metrics(e, type(spec.metrics) == "table" and spec.metrics or nil)
  e.figures = check_figures(e, type(spec.figures) == "table" and
                            spec.figures or {})
  e.differs = spec.differs
  if type(spec.axes) == "table" then make_axes(e, spec.axes, spec.order) end
  if #session.problems == 0 then make_points(e) end
  if #session.problems == 0 and #e.points == 0 then
    problem(e, nil, "the filter leaves no point")
  end
  return e
end

-- What loom.run is given at a point.
function M.spec(e, point)
  local spec = e.base(parameters(e, point.names))
  if type(spec) ~= "table" then
    problem(e, "base", "returned %s for %s, expected what loom.run is given",
            unit.quote(spec), point.label)
    return nil
  end
  return spec
end

-- Points that together have every value of each axis, and the others.
local function divided(e)
  local first, rest, seen = {}, {}, {}
  for _, point in ipairs(e.points) do
    local new = false
    for name, value in next, point.names do
      new = new or not seen[name .. "=" .. value]
      seen[name .. "=" .. value] = true
    end
    table.insert(new and first or rest, point)
  end
  return first, rest
end

-- A metric is tried on the results of a machine that has not run.  A name that
-- does not exist is a mistake; what else goes wrong may be because nothing has
-- happened there.
local function try_metric(e, metric, run)
  session.trying = true
  local ok, value = pcall(metric.value, run)
  session.trying = nil
  if ok and type(value) == "number" then
    return
  elseif getmetatable(value) == session.Stop and value.mistake then
    session.problem(("metric '%s'"):format(metric.name), value.mistake,
                    value.site)
    return
  end
  session.warn("experiment", ("metric '%s' %s where nothing has run; if a " ..
    "point fails for it, its results are kept for --remeasure"):format(
    metric.name, ok and "gives " .. unit.quote(value) or
    "fails (" .. M.reason(value) .. ")"),
    session.field(e.site, "experiment", "metrics", metric.name))
end

-- Are there the statistics that metrics name?
local function check_metrics(e, catalog, run)
  for _, metric in ipairs(e.metrics) do
    if not metric.group then
      try_metric(e, metric, run)
    else
      local ok, why = catalog:group(metric.group)
      if ok then ok, why = catalog:query(metric.group, metric.stat) end
      if ok == nil then
        problem(e, "metrics", "metric '%s': %s", metric.name, why)
      end
    end
  end
end

-- Derived columns are tried with metrics that are 1 everywhere.
local function check_derived(e)
  local ones = {}
  for _, metric in ipairs(e.metrics) do ones[metric.name] = 1.0 end
  local points = {}
  for i, point in ipairs(e.points) do
    points[i] = { names = point.names, result = { metrics = ones } }
  end
  local made, why = import "sweep/merge".derived { experiment =
    setmetatable({ points = points }, { __index = e }) }
  if not made then
    local file, line, text = why:match("^(derive%.[^:]*: [^\n]-):(%d+): (.*)$")
    local name, path = (file or why):match("^(derive%.[^:]*): (.*)$")
    session.problem("experiment", text and name .. ": " .. text or why,
                    text and { file = path, line = tonumber(line) } or
                    session.field(e.site, "experiment", "derive"))
  end
end

-- Mistakes of all points at once that are to run (`session.wanted`), before
-- anything does.  The rest of the points is left out where many experiments are
-- looked at, and those of it that ran, which `session.sound` knows: then they
-- had no mistake.  Others that give an axis its values are asked what they run,
-- no more: the sources that this reads are in the keys of all points.
local function check(e)
  -- A machine is not built where there are mistakes: those of a point are
  -- apart until it has been looked at, however that ends.
  local all = session.problems
  local apart = setmetatable({}, { __close = function()
    for _, one in ipairs(session.problems) do
      one.number = #all + 1
      all[#all + 1] = one
    end
    session.problems = all
  end })
  local function try(points, whole)
    for _, point in ipairs(points) do
      local _ <close> = apart
      session.at, session.problems = point.label, {}
      local wanted = not session.wanted or session.wanted(point)
      local spec = (wanted or not whole) and M.spec(e, point)
      if spec and wanted then run_module.execute(spec, e.site) end
    end
  end
  session.probe = function(catalog, run) check_metrics(e, catalog, run) end
  local first, rest = divided(e)
  try(first)
  if not session.coarse then
    try(session.sound and session.sound(e, rest) or rest, true)
  end
  session.at, session.probe = nil, nil
  if #session.problems == 0 then check_derived(e) end
end

function M.experiment(spec)
  local site = session.site()
  if type(spec) ~= "table" or getmetatable(spec) then
    session.problem("experiment", ("got %s, expected a table: " ..
      "loom.experiment { name = .., axes = .., base = .. }"):format(
      unit.quote(spec)), site)
    return poison
  end
  if session.experiment then
    session.problem("experiment", ("is declared twice, first at line %d; a " ..
      "script has one"):format(session.experiment.site.line), site)
    return poison
  end
  local e = declare(spec, site)
  session.experiment = e
  if #session.problems > 0 then
    if session.mode == "run" then session.stop("config") end
    return poison
  end
  if session.mode ~= "run" then
    check(e)
  elseif session.point then
    import "sweep/point".run(e, session.point)
  end
  return setmetatable({}, { __index = function() return poison end,
                            __name = "experiment" })
end

M.version = core.version

return M
