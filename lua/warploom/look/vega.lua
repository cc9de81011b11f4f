-- Figures as Vega-Lite specifications: bars (grouped, stacked, both), lines,
-- heat maps.  The library draws them, for `plot` and `report` alike.
--
-- A figure is a table that says what to draw, made by figures.lua:
--   { kind = "bars", title =, note =, x =, y =, unit =, groups = { names },
--     bars = { names }, segments = { names }, value = { [group][bar]
--     [segment] }, errors = { [group][bar] = standard error },
--     colours = { of segments }, mean_at =, reference =, log = }
--   { kind = "lines", title =, x =, y =, lines = { { name =, x = {}, y = {},
--     right = }, .. }, log_x = (base of the logarithm), y_max =, points =,
--     x_range =, y_range =, names = (of all lines there could be), marks = {
--     { x =, y =, name =, says =, at_left = (names, of all of them) }, .. } }
--   { kind = "heat", title =, x =, y =, rows =, columns =, value = { [row]
--     [column] }, unit = }
--   { kind = "facets", title =, figures = { .. of one kind }, columns =,
--     own_axes = }
-- All may have legend = (what the series are), hatch =, width =, height =,
-- page = "column" or "page" (of a paper); on an axis of their own at the right
-- bars have right = { name =, y =, unit =, of_groups =, value = { [name of
-- group][bar] } }, and lines right_y =.  What is not there is NaN or nil, and
-- leaves a gap.

local import = ...
local words = import "look/words"
local text = import "base/text"
local json = import "base/json"
local hatch = import "look/hatch"

local M = {}

-- Okabe and Ito's colours, which people with any colour vision can tell
-- apart, yellow late and grey for black; then the same in pale.  Fills of more
-- than eight series are the first eight, hatched.
M.palette = { "#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00",
              "#F0E442", "#5B5B5B", "#8CC2E0", "#F5D38C", "#8CD0BC", "#E8C4D8",
              "#B5DDF5", "#EDB78C", "#F8F3AD", "#B5B5B5" }

local STRONG = 8
local GREY = 16 -- of what is put together
local DASHES = { json.empty, { 7, 3 }, { 2, 3 } }
-- Lines that differ without colour, too.
local MANY_DASHES = { json.empty, { 8, 3 }, { 2, 2 }, { 8, 3, 2, 3 }, { 4, 2 },
                      { 12, 3, 2, 3, 2, 3 }, { 1, 4 }, { 14, 4 } }
local SHAPES = { "circle", "square", "diamond", "triangle-up", "cross",
                 "triangle-down", "triangle-left", "triangle-right" }

-- Sizes in pixels, of 1/96 inch: of the whole, of the middle, and of text.  A
-- column of IEEE's and ACM's papers is 3.5 and 3.33 inches wide and a page 7.16
-- and 7; text is 7 and 8 points there, if the figure is not scaled.
local SCREEN = { width = 860, height = 270, label = 11, title = 12,
                 legend = 12, head = 14, padding = 8, symbol = 130 }
local PAPER = {
  column = { width = 334, height = 150 }, page = { width = 685, height = 160 },
}
for _, size in next, PAPER do
  size.label, size.title, size.legend, size.head = 9.33, 10.67, 9.33, 10.67
  size.padding, size.symbol = 2, 60
end
M.PAPER = PAPER

-- The sizes of a figure.
local function size_of(figure)
  local size = PAPER[figure.page] or SCREEN
  return setmetatable({ width = figure.width }, { __index = size })
end

local function config_of(size)
  return {
    background = "white",
    font = '"DejaVu Sans", Verdana, Arial, sans-serif',
    view = { stroke = json.null },
    axis = { labelFontSize = size.label, titleFontSize = size.title,
             titleFontWeight = "normal", gridColor = "#e2e2e2",
             domainColor = "#444", tickColor = "#444", labelColor = "#222",
             titleColor = "#222", titlePadding = size.padding,
             labelLimit = 220 },
    legend = { orient = "top", labelFontSize = size.legend,
               labelColor = "#222", labelLimit = 400, titleOrient = "left",
               titleFontSize = size.legend, titleFontWeight = "normal",
               titleColor = "#555", titlePadding = 8,
               symbolSize = size.symbol, columnPadding = 14, rowPadding = 3 },
    title = { anchor = "start", frame = "group", fontSize = size.head,
              offset = 10, color = "#222", subtitleColor = "#555",
              subtitleFontSize = size.label, subtitlePadding = 4 },
  }
end

-- 12000 -> "12k", 0.25 -> "0.25".
local NUMBERS = "abs(datum.value) >= 1000 ? format(datum.value, '.4~s') : " ..
                "format(datum.value, '.4~g')"

-- The wheel alone scrolls the page.
local function zoom(encodings)
  return { name = "zoom", bind = "scales",
           select = { type = "interval", encodings = encodings,
                      zoom = "wheel![event.ctrlKey || event.shiftKey]" } }
end

-- What a figure reacts to; small ones side by side do not.
local function params(figure, ...)
  local list = figure.within and {} or { ... }
  return #list > 0 and list or nil
end

local function axis_title(title)
  return title and title ~= "" and title or json.null
end

-- What a mark says when it is pointed at, and to those who cannot see it.
local function sentence(names, value, unit)
  local parts = {}
  for _, name in ipairs(names) do
    if name ~= "" then parts[#parts + 1] = name end
  end
  unit = unit and unit ~= "1" and " " .. unit or ""
  return ("%s: %s%s"):format(table.concat(parts, ", "), words.exact(value),
                             unit)
end

-- How series i is filled: those that share a colour differ in their pattern,
-- with `all` every one has a pattern of its own, but the first.
local function fill_of(i, all)
  if i == GREY then return M.palette[GREY] end
  local pattern = all and (i - 1) % (hatch.count + 1) or
                  (i - 1) // STRONG % (hatch.count + 1)
  return hatch.fill(pattern, M.palette[(i - 1) % STRONG + 1])
end

-- Colours of named series, with a legend that shows and hides them.
local function series(figure, field, names)
  local range, colours = {}, figure.colours
  local size = size_of(figure)
  for i in ipairs(names) do
    local number = colours and colours[i] or i
    local plain = M.palette[(number - 1) % STRONG + 1]
    range[i] = figure.kind == "lines" and plain or
               fill_of(number, figure.hatch)
  end
  local title = figure.legend
  if title == "" then title = nil end
  local cell = words.widest(names, size.legend) + (figure.page and 26 or 34)
  local room = (figure.legend_room or size.width) - (figure.page and 40 or 90) -
               words.width(title or "", size.legend)
  local columns = math.max(1, room // cell)
  local lines = math.ceil(#names / columns)
  local encoding = { field = field, type = "nominal",
    scale = { domain = names, range = range }, title = title or json.null,
    legend = { columns = math.ceil(#names / lines) } }
  figure.narrow = { legend = { most = math.ceil(#names / lines), cell = cell,
    taken = title and words.width(title, size.legend) or 0 } }
  if #names == 1 then encoding.legend = json.null end
  return encoding, #names > 1 and not figure.within and { name = "shown",
    bind = "legend", select = { type = "point", fields = { field },
                                toggle = "true" } } or nil
end

local function fills_of(spec, out)
  for key, value in next, spec do
    if key == "range" and type(value) == "table" then
      for _, fill in ipairs(value) do
        if type(fill) == "string" then out[#out + 1] = fill end
      end
    elseif type(value) == "table" and key ~= "data" then
      fills_of(value, out)
    end
  end
  return out
end

------------------------------------------------------------------------------
-- Bars

-- Half of a 95 % interval, in standard errors.
local INTERVAL = 1.96

local function bar_rows(figure)
  local rows = {}
  for g, group in ipairs(figure.groups) do
    for b, bar in ipairs(figure.bars) do
      for s, part in ipairs(figure.segments) do
        local value = ((figure.value[g] or {})[b] or {})[s]
        local err = ((figure.errors or {})[g] or {})[b]
        local half = err and err == err and err > 0 and INTERVAL * err
        if value and value == value then
          rows[#rows + 1] = { group = group, bar = bar, part = part, order = s,
            value = value, low = half and value - half or nil,
            high = half and value + half or nil,
            says = sentence({ group, bar, part }, value, figure.unit) ..
                   (half and (" +- %.2g"):format(half) or "") }
        end
      end
    end
  end
  return rows
end

-- Bars are no wider than 56 pixels, however few they are.
local function group_scale(figure)
  local slot = (size_of(figure).width - (figure.page and 40 or 90)) /
               math.max(#figure.groups, 1)
  local wide = math.min(slot * 0.8, 56 * #figure.bars)
  local gap = 1 - wide / slot
  return { domain = figure.groups, paddingInner = gap, paddingOuter = gap / 2 },
         gap, slot
end

-- The horizontal axis: groups, and above their names those of the bars where
-- colours show something else.
local function group_axis(figure, slot, named)
  local size = size_of(figure)
  local widest = words.widest(figure.groups, size.label)
  local turned = widest > slot - 4
  local room = turned and slot >= size.label + 5 -- for each of them
  figure.narrow.labels = { count = #figure.groups, widest = widest }
  return { labelAngle = turned and -45 or 0,
           labelOverlap = not room and "greedy" or json.null,
           grid = false, ticks = false, labelLimit = 180,
           labelPadding = named and math.min(words.widest(figure.bars, 10),
                                             110) + 10 or 5 }
end

local function value_axis(figure, y_max)
  local scale = { nice = true }
  if figure.log then scale.type = "log" else scale.zero = true end
  if y_max then scale.domainMax = y_max end
  return scale, { labelExpr = NUMBERS, tickCount = 6 }
end

local function bar_names(figure, x, offset)
  local rows = {}
  for _, group in ipairs(figure.groups) do
    for _, bar in ipairs(figure.bars) do
      rows[#rows + 1] = { group = group, bar = bar }
    end
  end
  return { data = { values = rows },
    mark = { type = "text", angle = -90, align = "right", baseline = "middle",
             fontSize = 10, limit = 110, color = "#222", aria = false,
             clip = false },
    encoding = { x = x, xOffset = offset, text = { field = "bar" },
                 y = { value = { expr = "height + 6" } } } }
end

-- An axis of its own at the right: a diamond over each bar.
local function right_of_bars(figure, x, offset)
  local rows, right = {}, figure.right
  if right.of_groups then offset = nil end
  for _, group in ipairs(figure.groups) do
    for b, bar in ipairs(right.of_groups and { "" } or figure.bars) do
      local value = (right.value[group] or {})[b]
      if value and value == value then
        rows[#rows + 1] = { group = group, bar = bar, value = value,
          says = sentence({ group, bar, right.name }, value, right.unit) }
      end
    end
  end
  return { data = { values = rows },
    mark = { type = "point", shape = "diamond", filled = true, opacity = 1,
             size = figure.page and 36 or 64, color = "#222",
             stroke = "white", strokeWidth = 0.8 },
    encoding = { x = x, xOffset = offset,
      y = { field = "value", type = "quantitative", scale = { zero = true },
            axis = { orient = "right", grid = false, labelExpr = NUMBERS,
                     tickCount = 6 }, title = "\u{25c6} " .. right.y },
      tooltip = { field = "says" }, description = { field = "says" } } }
end

-- Whole powers of ten within a range; 1, 2 and 5 times these if they are few.
local function powers(range)
  local out = {}
  local from, to = math.log(range[1], 10), math.log(range[2], 10)
  for _, step in ipairs(to - from < 2.2 and { 1, 2, 5 } or { 1 }) do
    for n = math.floor(from), math.ceil(to) do
      local value = step * 10.0 ^ n
      if value >= range[1] and value <= range[2] then out[#out + 1] = value end
    end
  end
  return out
end

-- A logarithmic axis of a range.
local function fixed(encoding, range)
  if not range then return end
  encoding.scale.domain, encoding.scale.nice = range, false
  encoding.axis.values, encoding.axis.tickCount = powers(range), nil
end

local draw = {}

function draw.bars(figure)
  local stacked = #figure.segments > 1
  local grouped = #figure.bars > 1
  local field = stacked and "part" or "bar"
  local colour, shown = series(figure, field, stacked and figure.segments or
                               figure.bars)
  local scale, gap, slot = group_scale(figure)
  local named = stacked and grouped
  if named and slot * (1 - gap) / #figure.bars < 9 then
    named = false
    figure.note = "Bars of each group: " .. table.concat(figure.bars, ", ")
  end
  local y_scale, y_axis = value_axis(figure, figure.y_max)
  local x = { field = "group", type = "nominal", sort = json.null,
    scale = scale, title = axis_title(figure.x),
    axis = group_axis(figure, slot, named) }
  local offset = grouped and { field = "bar", type = "nominal",
    scale = { domain = figure.bars, paddingInner = stacked and 0.1 or 0 } } or
    nil
  local y = { field = "value", type = "quantitative", scale = y_scale,
    axis = y_axis, title = axis_title(figure.y),
    stack = stacked and "zero" or json.null }
  local bars = { params = params(figure, zoom { "y" }, shown),
    mark = { type = "bar", clip = true,
             stroke = figure.hatch and "#222" or nil,
             strokeWidth = figure.hatch and 0.6 or nil }, transform = nil,
    encoding = { x = x, xOffset = offset, y = y, color = colour,
      order = stacked and { field = "order" } or nil,
      tooltip = { field = "says" }, description = { field = "says" } } }
  if shown then
    bars.transform = { { filter = { param = "shown" } } }
  end
  local layers = { bars }
  if figure.errors then -- 95 % intervals
    layers[#layers + 1] = { transform = { { filter = "isValid(datum.low)" },
                                          shown and bars.transform[1] },
      mark = { type = "rule", strokeWidth = 1.4, color = "#222",
               clip = true, aria = false },
      encoding = { x = x, xOffset = offset,
        y = { field = "low", type = "quantitative", scale = y_scale,
              axis = y_axis, title = axis_title(figure.y) },
        y2 = { field = "high" } } }
  end
  if named then layers[#layers + 1] = bar_names(figure, x, offset) end
  if figure.reference then
    layers[#layers + 1] = { data = { values = { { at = figure.reference } } },
      mark = { type = "rule", strokeDash = { 4, 3 }, color = "#222",
               aria = false, clip = true },
      encoding = { y = { field = "at", type = "quantitative", scale = y_scale,
                         axis = y_axis, title = axis_title(figure.y) } } }
  end
  if figure.mean_at and figure.mean_at > 1 then
    layers[#layers + 1] = {
      data = { values = { { group = figure.groups[figure.mean_at] } } },
      mark = { type = "rule", strokeDash = { 1, 3 }, color = "#777",
               aria = false },
      encoding = { x = { field = "group", type = "nominal", scale = scale,
        axis = x.axis, title = axis_title(figure.x),
        bandPosition = -gap / 2 / (1 - gap) } } }
  end
  if figure.right then
    layers = { { layer = layers }, right_of_bars(figure, x, offset) }
  end
  return { data = { values = bar_rows(figure) }, layer = layers,
           resolve = figure.right and { scale = { y = "independent" } } or nil }
end

------------------------------------------------------------------------------
-- Lines

local MARKED = 300 -- points of a line that say their value

local function line_rows(figure, right)
  local rows = {}
  for _, line in ipairs(figure.lines) do
    local every = math.max(1, #line.x // MARKED)
    for k, x in ipairs((line.right or false) == (right or false) and line.x or
                       {}) do
      local y = line.y[k]
      if y == y then
        rows[#rows + 1] = { name = line.name, x = x, y = y,
          says = (k - 1) % every == 0 and ("%s at %s"):format(
            sentence({ line.name == "" and "value" or line.name }, y),
            words.number(x)) or nil }
      else -- a gap
        rows[#rows + 1] = { name = line.name, x = x, y = json.null }
      end
    end
  end
  return rows
end

-- Lines of the axis at the left, or at the right.
local function line_layers(figure, of, x, colour, dash, shape, filter)
  local y_scale, y_axis = value_axis(figure, not of.right and figure.y_max)
  if of.right then y_axis.orient, y_axis.grid = "right", false end
  local y = { field = "y", type = "quantitative", scale = y_scale,
    axis = y_axis, title = axis_title(of.y) }
  fixed(y, figure.y_range)
  local points = table.move(filter or {}, 1, 1, 1, {})
  points[#points + 1] = { filter = "isValid(datum.says)" }
  local near = of.right and "near_right" or "near"
  return { data = { values = line_rows(figure, of.right) }, layer = {
    { transform = filter,
      mark = { type = "line", strokeWidth = figure.page and 1.4 or 1.8,
               interpolate = figure.step and "step-after" or nil,
               clip = true, aria = false },
      encoding = { x = x, y = y, color = colour, strokeDash = dash } },
    { transform = points,
      params = params(figure, { name = near, select = { type = "point",
        on = "pointerover", clear = "pointerout" } }),
      mark = { type = "point", filled = true, size = figure.page and 24 or 44,
               clip = true },
      encoding = { x = x, y = y, color = colour, shape = shape,
        opacity = figure.points and { value = 1 } or { value = 0,
          condition = not figure.within and { param = near, empty = false,
                                              value = 1 } or nil },
        tooltip = { field = "says" }, description = { field = "says" } } } } }
end

-- Single points with names.
local function marks_of(figure, x, lines)
  local own, left = figure.page and 60 or 110, figure.marks[1].at_left
  local encoding = { x = x, y = lines.layer[1].encoding.y,
    tooltip = { field = "says" }, description = { field = "says" } }
  local named = { x = x, y = encoding.y, text = { field = "name" } }
  return { data = { values = figure.marks }, layer = {
    { mark = { type = "point", filled = true, shape = "diamond", opacity = 1,
               size = own, color = "#222", stroke = "white" },
      encoding = encoding },
    { mark = { type = "text", align = left and "right" or "left",
               dx = left and -8 or 8, color = "#222",
               fontSize = size_of(figure).label, aria = false },
      encoding = named } } }
end

function draw.lines(figure)
  local names, right = figure.names or {}, false
  for i, line in ipairs(figure.lines) do
    if not figure.names then names[i] = line.name end
    right = right or line.right
  end
  local colour, shown = series(figure, "name", names)
  local x_scale = figure.log_x and { type = "log", base = figure.log_x } or
                  { zero = false, nice = figure.points or false }
  local x = { field = "x", type = "quantitative", scale = x_scale,
    title = axis_title(figure.x),
    axis = { grid = false, labelOverlap = "greedy",
      labelExpr = figure.log_x == 2 and "format(datum.value, ',.12~g')" or
                  NUMBERS }
  }
  fixed(x, figure.x_range)
  local function of_names(list)
    return { field = "name", type = "nominal", title = colour.title,
      legend = colour.legend, scale = { domain = names, range = list } }
  end
  local dash, shape
  if #names > STRONG or figure.hatch then
    local dashes, shapes = {}, {}
    for i in ipairs(names) do
      dashes[i] = figure.hatch and MANY_DASHES[(i - 1) % #MANY_DASHES + 1] or
                  DASHES[(i - 1) // STRONG % #DASHES + 1]
      shapes[i] = SHAPES[(i - 1) % #SHAPES + 1]
    end
    dash = of_names(dashes)
    shape = figure.hatch and figure.points and of_names(shapes) or nil
  end
  local filter = shown and { { filter = { param = "shown" } } } or nil
  local left = line_layers(figure, { y = figure.y }, x, colour, dash, shape,
                           filter)
  left.layer[1].params = params(figure, zoom { "x", "y" }, shown)
  if figure.marks then table.insert(left.layer, marks_of(figure, x, left)) end
  if not right then return left end
  return { layer = { left, line_layers(figure, { y = figure.right_y,
      right = true }, x, colour, dash, shape, filter) },
    resolve = { scale = { y = "independent" } } }
end

------------------------------------------------------------------------------
-- Heat maps

-- An axis of numbers with names at the whole ones, so that it can be zoomed.
local function name_axis(names, title, room, size)
  local at, list = {}, {}
  for i, name in ipairs(names) do
    at[i] = i
    list[i] = json.encode(name)
  end
  local angle = words.widest(names, size) > room / #names and
                words.widest(names, size) > 24 and -90 or 0
  return { scale = { domain = { 0.5, #names + 0.5 }, nice = false,
                     zero = false },
           title = axis_title(title),
           axis = { grid = false, ticks = false, domain = false, values = at,
             labelOverlap = "greedy", labelAngle = angle, labelLimit = 160,
             labelExpr = ("[%s][datum.value - 1]"):format(table.concat(list,
                                                                       ","))
           } }
end

function draw.heat(figure)
  local rows, low = {}, 0
  for r, row in ipairs(figure.rows) do
    for c, column in ipairs(figure.columns) do
      local value = figure.value[r][c]
      if value and value == value then
        low = math.min(low, value)
        rows[#rows + 1] = { r = r, c = c, value = value,
          says = sentence({ row, column }, value, figure.unit) }
      end
    end
  end
  local size = size_of(figure)
  local x = name_axis(figure.columns, figure.x, size.width - 200, size.label)
  x.field, x.type = "left", "quantitative"
  local y = name_axis(figure.rows, figure.y, 1, size.label)
  y.field, y.type, y.scale.reverse, y.axis.labelAngle = "top", "quantitative",
                                                        true, 0
  local unit = figure.unit ~= "1" and figure.unit or nil
  return { data = { values = rows },
    height = math.max(100, math.min(#figure.rows * 22,
                                    math.max(320, #figure.rows * 7))),
    transform = {
      { calculate = "datum.c - 0.5", as = "left" },
      { calculate = "datum.c + 0.5", as = "right" },
      { calculate = "datum.r - 0.5", as = "top" },
      { calculate = "datum.r + 0.5", as = "bottom" } },
    params = params(figure, zoom { "x", "y" }),
    mark = { type = "rect", clip = true,
      stroke = "white", strokeWidth = #rows <= 1000 and 1 or 0 },
    encoding = { x = x, x2 = { field = "right" }, y = y,
      y2 = { field = "bottom" }, tooltip = { field = "says" },
      description = { field = "says" },
      color = { field = "value", type = "quantitative",
        scale = { scheme = "cividis", zero = true }, title = axis_title(unit),
        legend = { orient = "right", direction = "vertical",
                   labelExpr = NUMBERS } } } }
end

------------------------------------------------------------------------------

-- Small figures side by side, with the same axes and one legend.
function draw.facets(figure)
  local size, parts = size_of(figure), {}
  local columns = figure.columns
  local wide = (size.width - 2 * size.padding - 60) / columns -
               (figure.page and 26 or 40)
  local high = (figure.height or size.height) / (figure.page and 1 or 1.5)
  for i, one in ipairs(figure.figures) do
    one.within, one.width, one.page = true, wide, figure.page
    one.legend_room = size.width
    one.hatch, one.legend = figure.hatch, figure.legend
    if not figure.own_axes then
      if (i - 1) % columns > 0 then one.y = nil end
      if i <= #figure.figures - columns then one.x = nil end
    end
    local spec = draw[one.kind](one)
    spec.width, spec.height = wide, spec.height or high
    spec.title = { text = one.title, fontWeight = "normal", offset = 4,
                   anchor = "middle", fontSize = size.title }
    parts[i] = spec
  end
  return { concat = parts, columns = columns,
    spacing = { row = 12, column = 14 },
    resolve = { scale = { y = figure.own_axes and "independent" or "shared",
                          color = "shared", strokeDash = "shared" } } }
end

------------------------------------------------------------------------------

-- The specification of a figure, as a table for json.encode.
function M.specification(figure)
  local size = size_of(figure)
  local spec = draw[figure.kind](figure)
  local patterns = hatch.definitions(fills_of(spec, {}))
  spec["$schema"] = "https://vega.github.io/schema/vega-lite/v6.json"
  if figure.kind == "facets" then -- the drawing is made that wide
    spec.usermeta = { width = size.width }
  else
    spec.width = size.width
    spec.height = spec.height or size.height
    spec.autosize = { type = "fit-x", contains = "padding" }
    if figure.height or figure.page then
      spec.height = figure.height or spec.height + 40
      spec.autosize.type = "fit"
    end
  end
  spec.usermeta = spec.usermeta or {}
  spec.usermeta.patterns = patterns
  spec.usermeta.narrow = figure.narrow -- what a page needs to know: page.js
  if next(spec.usermeta) == nil then spec.usermeta = nil end
  spec.title = { text = figure.title or "",
    subtitle = figure.note ~= "" and figure.note and
               text.wrap(figure.note, 120) or nil }
  -- The last label of a map's colours stands half above it.
  spec.padding = figure.kind == "heat" and math.max(size.padding, 7) or
                 size.padding
  spec.config = config_of(size)
  return spec
end

-- As JSON; for a page it takes the width that there is.
function M.json(figure, in_page)
  local spec = M.specification(figure)
  if in_page and figure.kind ~= "facets" then spec.width = "container" end
  return json.encode(spec)
end

return M
