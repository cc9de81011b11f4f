-- From statistics to figures: what stands along the axis, what is grouped and
-- what is stacked.
--
-- A request is { files = list of results, picks = list of { stat =,
-- instance = }, options }.  The shape of what is asked for decides the kind
-- of figure, unless the user does:
--   one number for each run, kernel or instance        bars
--   a vector (named entries)                           stacked bars
--   a histogram                                        cumulative lines
--   an array (banks, SMs)                              heat map
--   a series                                           lines over time

local import = ...
local results = import "look/results"
local shape = import "look/shape"
local suggest = import "base/suggest"

local M = {}

M.kinds = { "bar", "stack", "line", "cdf", "heat" }
M.along = { "run", "kernel", "instance", "sample" }

-- "0 .. 3" of the labels on one axis of many instances: "gpu[0].sm[3].l1d"
-- becomes "sm 3".
local function short_instances(paths)
  local out, varying = {}, nil
  for i, path in ipairs(paths) do
    local indices, names = {}, {}
    for name, index in path:gmatch("([%w_]+)%[(%d+)%]") do
      names[#names + 1], indices[#indices + 1] = name, index
    end
    out[i] = { names = names, indices = indices }
  end
  for k = 1, #(out[1] and out[1].indices or {}) do
    for i = 2, #out do
      if out[i].indices[k] ~= out[1].indices[k] then
        varying = varying or {}
        varying[#varying + 1] = k
        break
      end
    end
  end
  for i, one in ipairs(out) do
    local parts = {}
    for _, k in ipairs(varying or {}) do
      parts[#parts + 1] = one.names[k] .. " " .. (one.indices[k] or "")
    end
    out[i] = #parts > 0 and table.concat(parts, " ") or paths[i]
  end
  return out
end
M.short_instances = short_instances

-- The positions along the axis: { label =, file =, sample =, from =,
-- instance = } for each.
local places = {}

function places.run(request)
  local out = {}
  for i, file in ipairs(request.files) do
    out[i] = { label = request.names[i], file = file,
               sample = file:sample(request.sample) }
  end
  return out
end

-- The `most` longest of the kernels, by number.
local function longest(kernels, most)
  local order, keep = {}, {}
  for i in ipairs(kernels) do order[i] = i end
  table.sort(order, function(a, b)
    if kernels[a].seconds ~= kernels[b].seconds then
      return kernels[a].seconds > kernels[b].seconds
    end
    return a < b
  end)
  for k = 1, math.min(most, #order) do keep[order[k]] = true end
  return keep
end

function places.kernel(request)
  local file, out = request.files[1], {}
  local kernels = file:kernels()
  local keep = longest(kernels, request.most or #kernels)
  for i, kernel in ipairs(kernels) do
    if kernel.end_ > 0 and keep[i] then
      out[#out + 1] = { label = ("%d %s"):format(i - 1, kernel.name),
                        file = file, sample = kernel.end_,
                        from = kernel.begin }
    end
  end
  if #out == 0 then results.refuse("'%s' has no kernels", file.path) end
  return out
end

function places.sample(request)
  local file, out = request.files[1], {}
  for i, sample in ipairs(file:samples()) do
    out[i] = { label = ("%d %s"):format(i - 1, sample.label), file = file,
               sample = i }
  end
  return out
end

function places.instance(request)
  local file, pick = request.files[1], request.picks[1]
  local _, paths = file:table_of(pick.stat, file:sample(request.sample), nil,
                                 pick.instance)
  local short, out = short_instances(paths), {}
  for i, path in ipairs(paths) do
    out[i] = { label = short[i], file = file, instance = path,
               sample = file:sample(request.sample) }
  end
  return out
end

local function default_along(request)
  if #request.files > 1 then return "run" end
  local pick = request.picks[1]
  local file = request.files[1]
  if #file:instances(pick.stat) > 1 and not pick.instance then
    return "instance"
  end
  return #file:kernels() > 1 and "kernel" or "run"
end

local function places_of(request)
  local along = request.by or default_along(request)
  if not places[along] then
    results.refuse("--by is '%s'%s", along, suggest.hint(along, M.along))
  end
  if along ~= "run" and #request.files > 1 then
    results.refuse("--by %s looks at one file; %d are given", along,
                   #request.files)
  end
  return places[along](request), along
end

-- The same statistic in another file.
local function stat_in(file, pick)
  if file == pick.stat.file then return pick.stat end
  local root = pick.series and "/series/" .. pick.series
  return file:find(pick.stat.name, root)
end

-- The name of a statistic without what all of them have in common.
local function short_names(picks)
  local out = {}
  for i, pick in ipairs(picks) do out[i] = pick.stat.name end
  if #out == 1 then return { out[1] } end
  local common = out[1]
  for _, name in ipairs(out) do
    while name:sub(1, #common) ~= common do
      common = common:match("^(.*%.)[^.]+%.?$") or ""
      if common == "" then break end
    end
  end
  common = common:match("^(.*%.)") or ""
  for i, name in ipairs(out) do out[i] = name:sub(#common + 1) end
  return out, common:gsub("%.$", "")
end

local function same_unit(picks)
  for _, pick in ipairs(picks) do
    if pick.stat.unit ~= picks[1].stat.unit then
      results.refuse("%s is in '%s' and %s in '%s': one axis cannot show both",
                     picks[1].stat.name, picks[1].stat.unit, pick.stat.name,
                     pick.stat.unit)
    end
  end
  return picks[1].stat.unit
end

local function facets_of_runs(request, draw)
  if request.facet ~= "run" then
    results.refuse("--facet is '%s'; of files of single runs it is 'run'",
                   tostring(request.facet))
  end
  local list = {}
  for i, file in ipairs(request.files) do
    local picks = {}
    for k, pick in ipairs(request.picks) do
      local root = pick.series and "/series/" .. pick.series
      local stat = file == pick.stat.file and pick.stat or
                   file:find(pick.stat.name, root)
      if not stat then
        results.refuse("'%s' has no '%s'", file.path, pick.stat.name)
      end
      picks[k] = { stat = stat, instance = pick.instance, series = pick.series }
    end
    list[i] = draw(setmetatable({ files = { file }, picks = picks, raw = true,
      names = { request.names[i] } }, { __index = request }))
  end
  return shape.facets(request.names, list, request)
end

local function unit_label(name, unit)
  if not unit or unit == "1" then return name end
  return name == "" and unit or ("%s [%s]"):format(name, unit)
end
M.unit_label = unit_label

-- One statistic on an axis of its own, one number for each place.
local function add_right(figure, request, at)
  local pick = request.right[1]
  if #request.right > 1 then
    results.refuse("--right names %d statistics, expected one", #request.right)
  end
  local own = pick.stat.name:match("[^.]+$")
  figure.right = { name = own, unit = pick.stat.unit, of_groups = true,
                   y = unit_label(own, pick.stat.unit), value = {} }
  for g, place in ipairs(at) do
    local stat = stat_in(place.file, pick)
    figure.right.value[place.label] = { stat and
      place.file:total(stat, place.sample, place.from,
                       place.instance or pick.instance) or 0 / 0 }
    figure.groups[g] = place.label
  end
end

-- One number for each place and statistic.
local function bars(request)
  local unit = same_unit(request.picks)
  local at, along = places_of(request)
  local names = short_names(request.picks)
  local figure = { kind = "bars", groups = {}, bars = names, segments = { "" },
                   value = {}, unit = unit, x = along,
                   title = #names == 1 and names[1] or
                           table.concat(names, ", ") }
  if #names == 1 then figure.bars = { "" } end
  figure.y = unit_label(#names == 1 and names[1]:match("[^.]+$") or "", unit)
  for g, place in ipairs(at) do
    figure.groups[g], figure.value[g] = place.label, {}
    for b, pick in ipairs(request.picks) do
      local stat = stat_in(place.file, pick)
      figure.value[g][b] = { stat and
        place.file:total(stat, place.sample, place.from,
                         place.instance or pick.instance) or 0 / 0 }
      -- Of a sampled run, where it is known.
      local err = stat and not place.from and not place.instance and
                  not pick.instance and place.file:error(stat, place.sample)
      if err and err == err then
        figure.errors = figure.errors or {}
        figure.errors[g] = figure.errors[g] or {}
        figure.errors[g][b] = err
      end
    end
  end
  figure.note = #names == 1 and request.picks[1].stat.doc or nil
  if request.right then add_right(figure, request, at) end
  return shape.finish(figure, request)
end

-- A vector: one bar for each place; or several scalar statistics, stacked.
local function stack(request)
  local unit = same_unit(request.picks)
  local at, along = places_of(request)
  local pick, several = request.picks[1], #request.picks > 1
  local names, common = short_names(request.picks)
  local figure = { kind = "bars", groups = {}, bars = { "" }, value = {},
                   unit = unit, x = along, y = unit_label("", unit),
                   title = several and common or pick.stat.name,
                   note = not several and pick.stat.doc or nil }
  if several then
    figure.segments = names
  else
    local axis = pick.stat.file:axes(pick.stat.item)[3]
    if not axis then
      results.refuse("%s is one number: several of them, or a vector, can " ..
                     "be stacked", pick.stat.name)
    end
    figure.segments = table.move(pick.stat.file:labels(axis), 1, axis.length, 1,
                                 {})
    figure.legend = axis.name
  end
  for g, place in ipairs(at) do
    local bar = {}
    for i, one in ipairs(request.picks) do
      local stat = stat_in(place.file, one)
      local instance = place.instance or one.instance
      if several then
        bar[i] = stat and place.file:total(stat, place.sample, place.from,
                                           instance) or 0 / 0
      elseif stat then
        bar = place.file:entries(stat, place.sample, place.from, instance)
      end
    end
    figure.groups[g], figure.value[g] = place.label, { bar }
  end
  return shape.finish(figure, request)
end

-- Of a histogram: for each upper limit the share of values below.
local function cdf(request)
  local figure = { kind = "lines", lines = {}, log_x = 2, y_max = 1,
                   points = true, y = "share of values below", unit = "1",
                   legend = #request.files > 1 and #request.picks == 1 and
                            "run" or nil }
  for _, pick in ipairs(request.picks) do
    if pick.stat.kind ~= "histogram" and not pick.stat.name:find("_hist$") then
      results.refuse("%s is no histogram; those end in _hist", pick.stat.name)
    end
    for i, file in ipairs(request.files) do
      local stat = stat_in(file, pick)
      if stat then
        local bins = file:entries(stat, file:sample(request.sample), nil,
                                  pick.instance)
        local scale = file:axes(stat.item)[3].scale
        local edges = scale and file:attributes_of(scale.path).edges or {}
        local total, sum = 0, 0
        for _, n in ipairs(bins) do total = total + n end
        local line = { name = #request.files > 1 and request.names[i] or
                              pick.stat.name:gsub("_hist$", ""),
                       x = {}, y = {} }
        if #request.files > 1 and #request.picks > 1 then
          line.name = line.name .. " " .. pick.stat.name:gsub("_hist$", "")
        end
        for k, n in ipairs(bins) do
          sum = sum + n
          local edge = edges[k + 1]
          if edge and edge >= 1 and total > 0 then
            line.x[#line.x + 1], line.y[#line.y + 1] = edge, sum / total
            if sum == total then break end
          end
        end
        if #line.x > 0 then figure.lines[#figure.lines + 1] = line end
      end
    end
    figure.x = unit_label(pick.stat.name:match("([^.]+)_hist$") or "value",
      (pick.stat.file:find((pick.stat.name:gsub("_hist$", "_sum"))) or {}).unit)
  end
  if #figure.lines == 0 then
    results.refuse("the histogram is empty: nothing was counted")
  end
  if #request.picks > 1 then
    figure.x, figure.title = "value", "Shares of values below a limit"
  else
    figure.title = request.picks[1].stat.name:gsub("_hist$", "")
    figure.note = request.picks[1].stat.doc
  end
  return shape.finish(figure, request)
end

-- Instances by entries of an array, or by kernels for one number each.
local function heat(request)
  local file, pick = request.files[1], request.picks[1]
  local sample = file:sample(request.sample)
  local stat = pick.stat
  local axis = file:axes(stat.item)[3]
  local figure = { kind = "heat", title = stat.name, note = stat.doc,
                   unit = stat.unit, value = {} }
  if axis then
    local lists, paths = file:table_of(stat, sample, nil, pick.instance)
    figure.rows, figure.value = short_instances(paths), lists
    figure.columns, figure.x = file:labels(axis), axis.name
    if axis.length == 0 then
      results.refuse("%s has no entries along '%s'", stat.name, axis.name)
    end
  else
    figure.rows, figure.columns, figure.x = {}, {}, "kernel"
    for k, place in ipairs(places.kernel(request)) do
      local _, paths = file:table_of(stat, place.sample, nil, pick.instance)
      figure.columns[k] = place.label
      if k == 1 then figure.rows = short_instances(paths) end
      for r, path in ipairs(paths) do
        figure.value[r] = figure.value[r] or {}
        figure.value[r][k] = file:total(stat, place.sample, place.from, path)
      end
    end
  end
  return shape.finish(figure, request)
end

-- What a statistic did in each window of its series: { x = ends of the
-- windows in microseconds, y = values }.  Counters are per second.
local function windows(file, pick, stat)
  local times = file:list("/series/" .. pick.series .. "/time", "number",
                          stat.item.dims[1])
  local x, y = {}, {}
  for t, time in ipairs(times) do
    local value = file:window(stat, t, pick.instance)
    if stat.kind == "counter" then
      local seconds = time - (times[t - 1] or 0)
      value = seconds > 0 and value / seconds or 0 / 0
    end
    x[t], y[t] = time * 1e6, value
  end
  return x, y
end

-- The run, the statistic, or both, whichever tell the lines apart.
local function line_name(request, names, i, p)
  local run = #request.files > 1 and request.names[i] or ""
  local stat = #names > 1 and names[p] or ""
  return run .. (run ~= "" and stat ~= "" and " " or "") .. stat
end

-- Lines of some picks; `unit` is what they are in.
local function lines_of(request, picks, out, right)
  local names = short_names(picks)
  local unit = same_unit(picks)
  for p, pick in ipairs(picks) do
    if not pick.series then
      results.refuse("%s is no series: lines over time need one, as in " ..
                     "'NAME:%s'", pick.stat.name, pick.stat.name)
    end
    for i, file in ipairs(request.files) do
      local stat = stat_in(file, pick)
      if stat then
        local x, y = windows(file, pick, stat)
        local name = line_name(request, names, i, p)
        if request.right and #picks == 1 then
          local own = pick.stat.name:match("[^.]+$")
          name = name == "" and own or name .. " " .. own
        end
        if right then name = name .. " (right)" end
        out[#out + 1] = { name = name, x = x, y = y, right = right }
        unit = stat.kind ~= "counter" and pick.stat.unit or
               pick.stat.unit == "1" and "1/s" or pick.stat.unit .. "/s"
      end
    end
  end
  return unit_label(#names == 1 and names[1]:match("[^.]+$") or "", unit), unit
end

local function line(request)
  local names, common = short_names(request.picks)
  local figure = { kind = "lines", lines = {}, x = "time [us]",
                   title = #names > 1 and common or names[1],
                   legend = #request.files > 1 and #names == 1 and
                            not request.right and "run" or nil,
                   note = #names == 1 and request.picks[1].stat.doc or nil }
  figure.y, figure.unit = lines_of(request, request.picks, figure.lines)
  if request.right then
    figure.right_y = lines_of(request, request.right, figure.lines, true)
  end
  return shape.finish(figure, request)
end

local draw = { bar = bars, stack = stack, cdf = cdf, heat = heat, line = line }

local function default_kind(request)
  local pick = request.picks[1]
  local axis = pick.stat.file:axes(pick.stat.item)[3]
  if pick.series then return "line" end
  if pick.stat.name:find("_hist$") then return "cdf" end
  if not axis then return "bar" end
  local _, named = pick.stat.file:labels(axis)
  return named and "stack" or "heat"
end

-- The figure of a request; refuses what cannot be drawn.
function M.make(request)
  local kind = request.kind or default_kind(request)
  if not draw[kind] then
    results.refuse("--kind is '%s'%s", kind, suggest.hint(kind, M.kinds))
  end
  if request.right and kind ~= "bar" and kind ~= "line" then
    results.refuse("--right goes with bars and lines, not with %s", kind)
  end
  if request.facet then return facets_of_runs(request, draw[kind]) end
  return draw[kind](request)
end

return M
