-- Figures as Vega-Lite specifications: bars (grouped, stacked, both), lines,
-- heat maps.  The library draws them, for `plot` and `report` alike.
--
-- A figure is a table that says what to draw, made by figures.lua:
--   { kind = "bars", title =, note =, x =, y =, unit =, groups = { names },
--     bars = { names }, segments = { names }, value = { [group][bar]
--     [segment] }, errors = { [group][bar] = standard error },
--     colours = { of segments }, mean_at =, reference =, log = }
--   { kind = "lines", title =, x =, y =, lines = { { name =, x = {}, y = {} },
--     .. }, log_x =, y_max =, points = }
--   { kind = "heat", title =, x =, y =, rows =, columns =, value = { [row]
--     [column] }, unit = }
-- What is not there is NaN or nil, and leaves a gap.

local import = ...
local words = import "look/words"
local text = import "base/text"
local json = import "base/json"

local M = {}

-- Okabe and Ito's colours, which people with any colour vision can tell
-- apart, yellow late and grey for black; then the same in pale.
M.palette = { "#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00",
              "#F0E442", "#5B5B5B", "#8CC2E0", "#F5D38C", "#8CD0BC", "#E8C4D8",
              "#B5DDF5", "#EDB78C", "#F8F3AD", "#B5B5B5" }

local WIDTH, HEIGHT = 860, 270 -- in pixels: of the whole, of the middle
local DASHES = { json.empty, { 7, 3 }, { 2, 3 } }

local config = {
  background = "white", font = '"DejaVu Sans", Verdana, Arial, sans-serif',
  view = { stroke = json.null },
  axis = { labelFontSize = 11, titleFontSize = 12, titleFontWeight = "normal",
           gridColor = "#e2e2e2", domainColor = "#444", tickColor = "#444",
           labelColor = "#222", titleColor = "#222", titlePadding = 8,
           labelLimit = 220 },
  legend = { orient = "top", labelFontSize = 12, labelColor = "#222",
             labelLimit = 400, symbolSize = 130, columnPadding = 14,
             rowPadding = 3 },
  title = { anchor = "start", frame = "group", fontSize = 14, offset = 10,
            color = "#222", subtitleColor = "#555", subtitleFontSize = 11,
            subtitlePadding = 4 },
}

-- 12000 -> "12k", 0.25 -> "0.25".
local NUMBERS = "abs(datum.value) >= 1000 ? format(datum.value, '.4~s') : " ..
                "format(datum.value, '.4~g')"

-- The wheel alone scrolls the page.
local function zoom(encodings)
  return { name = "zoom", bind = "scales",
           select = { type = "interval", encodings = encodings,
                      zoom = "wheel![event.ctrlKey || event.shiftKey]" } }
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

-- Colours of named series, with a legend that shows and hides them.
local function series(field, names, colours)
  local range = {}
  for i in ipairs(names) do
    local colour = colours and colours[i] or i
    range[i] = M.palette[(colour - 1) % #M.palette + 1]
  end
  local columns = math.max(1, (WIDTH - 90) // (words.widest(names, 12) + 34))
  local lines = math.ceil(#names / columns)
  local encoding = { field = field, type = "nominal",
    scale = { domain = names, range = range }, title = json.null,
    legend = { columns = math.ceil(#names / lines) } }
  if #names == 1 then encoding.legend = json.null end
  return encoding, #names > 1 and { name = "shown", bind = "legend",
    select = { type = "point", fields = { field }, toggle = "true" } } or nil
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
  local slot = (WIDTH - 90) / math.max(#figure.groups, 1)
  local wide = math.min(slot * 0.8, 56 * #figure.bars)
  local gap = 1 - wide / slot
  return { domain = figure.groups, paddingInner = gap, paddingOuter = gap / 2 },
         gap, slot
end

-- The horizontal axis: groups, and above their names those of the bars where
-- colours show something else.
local function group_axis(figure, slot, named)
  local turned = words.widest(figure.groups, 11) > slot - 4
  local room = turned and slot >= 16 -- for each of them
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

local draw = {}

function draw.bars(figure)
  local stacked = #figure.segments > 1
  local grouped = #figure.bars > 1
  local field = stacked and "part" or "bar"
  local colour, shown = series(field, stacked and figure.segments or
                               figure.bars, figure.colours)
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
  local bars = { params = { zoom { "y" } },
    mark = { type = "bar", clip = true }, transform = nil,
    encoding = { x = x, xOffset = offset, y = y, color = colour,
      order = stacked and { field = "order" } or nil,
      tooltip = { field = "says" }, description = { field = "says" } } }
  if shown then
    bars.params[2] = shown
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
  return { data = { values = bar_rows(figure) }, layer = layers }
end

------------------------------------------------------------------------------
-- Lines

local MARKED = 300 -- points of a line that say their value

local function line_rows(figure)
  local rows = {}
  for _, line in ipairs(figure.lines) do
    local every = math.max(1, #line.x // MARKED)
    for k, x in ipairs(line.x) do
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

function draw.lines(figure)
  local names = {}
  for i, line in ipairs(figure.lines) do names[i] = line.name end
  local colour, shown = series("name", names)
  local y_scale, y_axis = value_axis(figure, figure.y_max)
  local x_scale = figure.log_x and { type = "log", base = 2 } or
                  { zero = false, nice = false }
  local x = { field = "x", type = "quantitative", scale = x_scale,
    title = axis_title(figure.x),
    axis = { grid = false, labelOverlap = "greedy",
      labelExpr = figure.log_x and "format(datum.value, ',.12~g')" or NUMBERS }
  }
  local y = { field = "y", type = "quantitative", scale = y_scale,
    axis = y_axis, title = axis_title(figure.y) }
  local dash
  if #names > 8 then -- colours again, dashed
    local range = {}
    for i in ipairs(names) do
      colour.scale.range[i] = M.palette[(i - 1) % 8 + 1]
      range[i] = DASHES[(i - 1) // 8 % #DASHES + 1]
    end
    dash = { field = "name", type = "nominal", title = json.null,
      legend = colour.legend, scale = { domain = names, range = range } }
  end
  local filter = shown and { { filter = { param = "shown" } } } or nil
  local points = table.move(filter or {}, 1, 1, 1, {})
  points[#points + 1] = { filter = "isValid(datum.says)" }
  return { data = { values = line_rows(figure) }, layer = {
    { params = { zoom { "x", "y" }, shown },
      transform = filter,
      mark = { type = "line", strokeWidth = 1.8, clip = true, aria = false },
      encoding = { x = x, y = y, color = colour, strokeDash = dash } },
    { transform = points,
      params = { { name = "near", select = { type = "point", on = "pointerover",
                   clear = "pointerout" } } },
      mark = { type = "point", filled = true, size = 44, clip = true },
      encoding = { x = x, y = y, color = colour,
        opacity = figure.points and { value = 1 } or { value = 0,
          condition = { param = "near", empty = false, value = 1 } },
        tooltip = { field = "says" }, description = { field = "says" } } } } }
end

------------------------------------------------------------------------------
-- Heat maps

-- An axis of numbers with names at the whole ones, so that it can be zoomed.
local function name_axis(names, title, room)
  local at, list = {}, {}
  for i, name in ipairs(names) do
    at[i] = i
    list[i] = json.encode(name)
  end
  local angle = words.widest(names, 11) > room / #names and
                words.widest(names, 11) > 24 and -90 or 0
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
  local x = name_axis(figure.columns, figure.x, WIDTH - 200)
  x.field, x.type = "left", "quantitative"
  local y = name_axis(figure.rows, figure.y, 1)
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
    params = { zoom { "x", "y" } }, mark = { type = "rect", clip = true,
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

-- The specification of a figure, as a table for json.encode.
function M.specification(figure)
  local spec = draw[figure.kind](figure)
  spec["$schema"] = "https://vega.github.io/schema/vega-lite/v6.json"
  spec.width = figure.width or WIDTH
  spec.height = spec.height or HEIGHT
  spec.autosize = { type = "fit-x", contains = "padding" }
  if figure.height then
    spec.height, spec.autosize.type = figure.height, "fit"
  end
  spec.title = { text = figure.title or "",
    subtitle = figure.note ~= "" and figure.note and
               text.wrap(figure.note, 120) or nil }
  spec.padding = 8
  spec.config = config
  return spec
end

-- As JSON; for a page it takes the width that there is.
function M.json(figure, in_page)
  local spec = M.specification(figure)
  if in_page then spec.width = "container" end
  return json.encode(spec)
end

return M
