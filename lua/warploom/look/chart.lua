-- Figures as SVG: bars (grouped, stacked, both), lines, heat maps.
--
-- A figure is a table that says what to draw, made by figures.lua:
--   { kind = "bars", title =, x =, y =, groups = { names }, bars = { names },
--     segments = { names }, value = { [group][bar][segment] }, mean_at =,
--     reference =, log = }
--   { kind = "lines", title =, x =, y =, lines = { { name =, x = {}, y = {} },
--     .. }, log_x =, y_max = }
--   { kind = "heat", title =, x =, y =, rows =, columns =, value = { [row]
--     [column] }, unit = }
-- Marks carry their series as a class ("s2") and what they say as <title>, so
-- the same picture is a plain file and, in a report, an interactive one.

local import = ...
local svg = import "look/svg"

local M = {}

local at, text = svg.at, svg.text

local STYLE = [[
text{font-family:"DejaVu Sans",Verdana,Arial,sans-serif;font-size:12px}
text{fill:#222}
.title{font-size:14px;font-weight:bold}.small{font-size:11px}.note{fill:#555}
.grid{stroke:#e2e2e2}.axis{stroke:#444}.ref{stroke:#222;stroke-dasharray:4 3}
.apart{stroke:#999;stroke-dasharray:1 3}.line{fill:none;stroke-width:1.8}
.mark{shape-rendering:crispEdges}.dot{fill-opacity:0}.key{cursor:pointer}]]

-- The frame of a figure: margins, title, legend.
local function frame(figure, id)
  return { out = {}, id = id, width = figure.width or 860,
           height = figure.height or 380, left = 64, right = 16, top = 30,
           bottom = 46 }
end

local function add(f, ...) f.out[#f.out + 1] = table.concat { ... } end

-- Names of series with their colours, broken into rows.
local function legend(f, names, stroke, colours)
  if #names < 2 and (names[1] or "") == "" then
    f.top = f.top + 10
    return
  end
  local x, y = f.left, f.top + 8
  for i, name in ipairs(names) do
    local wide = svg.width(name, 12) + 34
    if x + wide > f.width - f.right and x > f.left then
      x, y = f.left, y + 18
    end
    add(f, ('<g class="key" tabindex="0" data-series="%d">'):format(i))
    if stroke then
      add(f, ('<line x1="%s" y1="%s" x2="%s" y2="%s" stroke="%s" ' ..
              'stroke-width="3"%s/>'):format(at(x), at(y), at(x + 16), at(y),
              svg.palette[(i - 1) % #svg.palette + 1], stroke(i)))
    else
      add(f, ('<rect x="%s" y="%s" width="12" height="12" fill="%s"/>'):format(
        at(x), at(y - 6), svg.fill(colours and colours[i] or i, f.id)))
    end
    add(f, text(x + 20, y + 4, name), "</g>")
    x = x + wide
  end
  f.top = y + 18
end

-- The vertical axis with its grid; returns the scale.
local function y_axis(f, figure, spec)
  local scale = svg.scale(spec, f.height - f.bottom, f.top)
  local widest = 0
  for _, label in ipairs(scale.labels) do
    widest = math.max(widest, svg.width(label, 12))
  end
  f.left = widest + (figure.y and figure.y ~= "" and 38 or 20)
  for i, tick in ipairs(scale.ticks) do
    local y = scale.map(tick)
    add(f, svg.line(f.left, y, f.width - f.right, y, "grid"))
    add(f, text(f.left - 6, y + 4, scale.labels[i], 'text-anchor="end"'))
  end
  if figure.y and figure.y ~= "" then
    local middle = (f.top + f.height - f.bottom) / 2
    add(f, text(14, middle, figure.y,
      ('text-anchor="middle" transform="rotate(-90 14 %s)"'):format(
        at(middle))))
  end
  return scale
end

-- Clips a long name and says how long a set of them is.
local function shorten(name, most)
  local n = utf8.len(name) or #name
  if n <= most then return name end
  return name:sub(1, (utf8.offset(name, most) or most) - 1) .. "…"
end

local function longest(names, size)
  local most = 0
  for _, name in ipairs(names) do
    most = math.max(most, svg.width(name, size))
  end
  return most
end

-- A name below the axis at x: level, or turned if there is no room.
local function name_below(f, x, y, name, turned, size)
  local class = size == 11 and 'class="small" ' or ""
  if turned then
    add(f, text(x, y, name, ('%stext-anchor="end" ' ..
      'transform="rotate(-50 %s %s)"'):format(class, at(x), at(y))))
  else
    add(f, text(x, y, name, class .. 'text-anchor="middle"'))
  end
end

local function shortened(names, most)
  local out = {}
  for i, name in ipairs(names) do out[i] = shorten(name, most) end
  return out
end

-- Places of groups and bars across the figure.
local function bar_places(f, figure)
  local groups, bars = #figure.groups, #figure.bars
  local room = f.width - f.left - f.right
  local slot = room / math.max(groups, 1)
  local gap = math.min(slot * 0.25, 24)
  local wide = math.min((slot - gap) / math.max(bars, 1), 56)
  return slot, wide, function(g, b)
    local middle = f.left + (g - 0.5) * slot
    return middle + (b - 1 - bars / 2) * wide
  end
end

local function highest(figure)
  local high, low = 0, 0
  for g = 1, #figure.groups do
    for b = 1, #figure.bars do
      local sum = 0
      for s = 1, #figure.segments do
        local v = ((figure.value[g] or {})[b] or {})[s] or 0
        sum = sum + (v == v and v or 0)
      end
      high, low = math.max(high, sum), math.min(low, sum)
    end
  end
  return high, low
end

-- What a mark says when it is pointed at.
local function bar_tip(figure, g, b, s, value)
  local parts = {}
  for _, name in ipairs { figure.groups[g], figure.bars[b],
                          figure.segments[s] } do
    if name and name ~= "" then parts[#parts + 1] = name end
  end
  local unit = figure.unit and figure.unit ~= "1" and " " .. figure.unit or ""
  return svg.escape(("%s: %s%s"):format(table.concat(parts, ", "),
                    svg.exact(value), unit))
end

-- Which of the colours a series has: its number, unless others were dropped.
local function colour_of(figure, series)
  return figure.colours and figure.colours[series] or series
end

local function draw_bar(f, figure, scale, place, g, b, wide)
  local base = scale.map(figure.log and scale.low or 0)
  local sum, stacked = 0, #figure.segments > 1
  for s = 1, #figure.segments do
    local value = ((figure.value[g] or {})[b] or {})[s]
    if value and value == value and value ~= 0 then
      local from = stacked and sum > 0 and scale.map(sum) or base
      sum = sum + value
      local to = scale.map(stacked and sum or value)
      local series = stacked and s or b
      add(f, ('<rect class="mark s%d" data-bar="%d" x="%s" y="%s" ' ..
        'width="%s" height="%s" fill="%s"><title>%s</title></rect>'):format(
        series, (g - 1) * #figure.bars + b, at(place(g, b)),
        at(math.min(from, to)), at(math.max(wide - 1, 0.6)),
        at(math.abs(from - to)), svg.fill(colour_of(figure, series), f.id),
        bar_tip(figure, g, b, s, value)))
    end
  end
end

-- Names of bars (if colours show segments) and of groups, below the axis.
local function bar_names(f, figure, slot, wide, place)
  local y = f.height - f.bottom + 14
  if f.bars_named then
    local names = shortened(figure.bars, 14)
    for g = 1, #figure.groups do
      for b, name in ipairs(names) do
        name_below(f, place(g, b) + wide / 2, y, name, true, 11)
      end
    end
    y = y + longest(names, 11) * 0.77 + 8
  end
  local names = shortened(figure.groups, 24)
  local every = math.ceil(#names / ((f.width - f.left) / 14))
  for g, name in ipairs(names) do
    if (g - 1) % every == 0 then
      name_below(f, f.left + (g - 0.5) * slot, y, name, f.turned)
    end
  end
end

-- Room below the axis; the left margin is not known yet, so it is guessed.
local function bar_bottom(f, figure)
  local slot = (f.width - 80) / math.max(#figure.groups, 1)
  local names = shortened(figure.groups, 24)
  local wide = longest(names, 12)
  f.turned = wide > slot - 4
  f.bottom = 24 + (f.turned and wide * 0.77 + 4 or 4) +
             (figure.x and figure.x ~= "" and 18 or 0)
  if f.bars_named then
    f.bottom = f.bottom + longest(shortened(figure.bars, 14), 11) * 0.77 + 8
  end
end

local draw = {}

-- Stacked bars in groups have names of their own below them; thin ones are
-- named in the note instead.
local function name_bars(f, figure)
  if figure.kind ~= "bars" or #figure.segments < 2 then return end
  local groups, bars = #figure.groups, #figure.bars
  if bars < 2 then return end
  local slot = (f.width - 80) / math.max(groups, 1)
  f.bars_named = (slot - math.min(slot * 0.25, 24)) / bars >= 12
  if not f.bars_named then
    figure.note = "Bars of each group: " .. shorten(
      table.concat(figure.bars, ", "), 110)
  end
end

function draw.bars(f, figure)
  local stacked = #figure.segments > 1
  legend(f, stacked and figure.segments or figure.bars, nil, figure.colours)
  bar_bottom(f, figure)
  local high, low = highest(figure)
  if figure.reference then high = math.max(high, figure.reference) end
  local spec = { low = math.min(low, 0), high = high,
                 log = figure.log and 10 or nil }
  if figure.log then
    local least = math.huge
    for _, group in ipairs(figure.value) do
      for _, bar in ipairs(group) do
        for _, v in ipairs(bar) do
          if v > 0 then least = math.min(least, v) end
        end
      end
    end
    spec.low = least < math.huge and least * 0.8 or 0.1
  end
  if figure.y_max then spec.high = figure.y_max end
  local scale = y_axis(f, figure, spec)
  local slot, wide, place = bar_places(f, figure)
  for g = 1, #figure.groups do
    for b = 1, #figure.bars do
      draw_bar(f, figure, scale, place, g, b, wide)
    end
  end
  if figure.mean_at then
    local x = f.left + (figure.mean_at - 1) * slot
    add(f, svg.line(x, f.top, x, f.height - f.bottom, "apart"))
  end
  if figure.reference then
    local y = scale.map(figure.reference)
    add(f, svg.line(f.left, y, f.width - f.right, y, "ref"))
  end
  local zero = scale.map(figure.log and scale.low or 0)
  add(f, svg.line(f.left, zero, f.width - f.right, zero, "axis"))
  bar_names(f, figure, slot, wide, place)
end

local dashes = { "", ' stroke-dasharray="7 3"', ' stroke-dasharray="2 3"' }

-- Eight colours, then again dashed.
local function dash(i) return dashes[(i - 1) // #svg.palette % #dashes + 1] end

local function extent(lines, key)
  local low, high = math.huge, -math.huge
  for _, line in ipairs(lines) do
    for _, v in ipairs(line[key]) do
      if v == v then low, high = math.min(low, v), math.max(high, v) end
    end
  end
  if low > high then return 0, 1 end
  return low, high
end

local function draw_line(f, line, i, sx, sy)
  local points, dots = {}, {}
  local colour = svg.palette[(i - 1) % #svg.palette + 1]
  local every = math.max(1, #line.x // 200)
  for k, x in ipairs(line.x) do
    local known = line.y[k] == line.y[k]
    local px, py = at(sx.map(x)), known and at(sy.map(line.y[k]))
    if known then points[#points + 1] = px .. "," .. py end
    if known and (k - 1) % every == 0 then
      dots[#dots + 1] = ('<circle class="dot s%d" cx="%s" cy="%s" r="4" ' ..
        'fill="%s"><title>%s</title></circle>'):format(i, px, py, colour,
        svg.escape(("%s%s: %s at %s"):format(line.name, line.name == "" and
        "value" or "", svg.exact(line.y[k]), svg.number(x, 5))))
    end
  end
  add(f, ('<polyline class="line s%d" stroke="%s"%s points="%s"/>'):format(i,
    colour, dash(i), table.concat(points, " ")), table.concat(dots))
end

function draw.lines(f, figure)
  local names = {}
  for i, line in ipairs(figure.lines) do names[i] = line.name end
  legend(f, names, dash)
  local low, high = extent(figure.lines, "y")
  local sy = y_axis(f, figure, { low = math.min(low, 0),
    high = figure.y_max or high, log = figure.log and 10 or nil })
  local a, b = extent(figure.lines, "x")
  local sx = svg.scale({ low = a, high = b, log = figure.log_x, tight = true,
                         count = 8 }, f.left, f.width - f.right)
  local bottom = f.height - f.bottom
  for i, tick in ipairs(sx.ticks) do
    local x = sx.map(tick)
    add(f, svg.line(x, bottom, x, bottom + 4, "axis"))
    add(f, text(x, bottom + 17, sx.labels[i], 'text-anchor="middle"'))
  end
  add(f, svg.line(f.left, bottom, f.width - f.right, bottom, "axis"))
  for i, line in ipairs(figure.lines) do draw_line(f, line, i, sx, sy) end
end

-- The scale of colours at the right, with its ends and middle.
local function colour_bar(f, unit, low, high)
  local x, steps = f.width - f.right + 14, 40
  local tall = f.height - f.bottom - f.top
  for i = 0, steps - 1 do
    add(f, ('<rect class="mark" x="%s" y="%s" width="12" height="%s" ' ..
      'fill="%s"/>'):format(at(x), at(f.top + tall * (steps - 1 - i) / steps),
      at(tall / steps + 0.5), (svg.shade(i / (steps - 1)))))
  end
  for _, part in ipairs { 0, 0.5, 1 } do
    add(f, text(x + 17, f.top + tall * (1 - part) + 4,
                svg.number(low + (high - low) * part, 3), 'class="small"'))
  end
  if unit and unit ~= "1" then
    add(f, text(f.width - 4, f.top - 10, unit,
                'class="small" text-anchor="end"'))
  end
end

local function heat_cells(f, figure, w, h, low, high)
  local unit = figure.unit and figure.unit ~= "1" and " " .. figure.unit or ""
  for r, row in ipairs(figure.rows) do
    for c, column in ipairs(figure.columns) do
      local value = figure.value[r][c]
      if value and value == value then
        local part = high > low and (value - low) / (high - low) or 0
        add(f, ('<rect class="mark" x="%s" y="%s" width="%s" height="%s" ' ..
          'fill="%s"><title>%s</title></rect>'):format(
          at(f.left + (c - 1) * w), at(f.top + (r - 1) * h), at(w + 0.3),
          at(h + 0.3), (svg.shade(part)), svg.escape(("%s, %s: %s%s"):format(
          row, column, svg.exact(value), unit))))
      end
    end
  end
end

local function heat_names(f, figure, w, h)
  local every = math.ceil(13 / h)
  for r, row in ipairs(figure.rows) do
    if (r - 1) % every == 0 then
      add(f, text(f.left - 6, f.top + (r - 0.5) * h + 4, shorten(row, 24),
                  'class="small" text-anchor="end"'))
    end
  end
  local names = shortened(figure.columns, 16)
  local turned = longest(names, 11) > w - 2 and longest(names, 11) > 22
  every = math.ceil((turned and 13 or longest(names, 11) + 4) / w)
  for c, name in ipairs(names) do
    if (c - 1) % every == 0 then
      name_below(f, f.left + (c - 0.5) * w, f.height - f.bottom + 14, name,
                 turned, 11)
    end
  end
end

function draw.heat(f, figure)
  local rows, columns = #figure.rows, #figure.columns
  local low, high = math.huge, -math.huge
  for _, row in ipairs(figure.value) do
    for c = 1, columns do
      local v = row[c]
      if v and v == v then low, high = math.min(low, v), math.max(high, v) end
    end
  end
  if low > high then low, high = 0, 1 end
  low = math.min(low, figure.low or 0)
  f.left = longest(shortened(figure.rows, 24), 11) + 40
  f.right, f.top = 80, f.top + 10
  local names = longest(shortened(figure.columns, 16), 11)
  f.bottom = 40 + (names > (f.width - f.left) / columns and names * 0.77 or 0)
  f.height = math.min(f.top + f.bottom + rows * 22,
                      math.max(f.height, f.top + f.bottom + rows * 7))
  f.height = math.max(f.height, f.top + f.bottom + 100)
  local w = (f.width - f.left - f.right) / columns
  local h = (f.height - f.top - f.bottom) / rows
  heat_cells(f, figure, w, h, low, high)
  heat_names(f, figure, w, h)
  colour_bar(f, figure.unit, low, high)
  if figure.y then
    local middle = f.top + rows * h / 2
    add(f, text(14, middle, figure.y, ('text-anchor="middle" ' ..
      'transform="rotate(-90 14 %s)"'):format(at(middle))))
  end
end

-- The figure as an SVG element that is a file by itself.  `id` tells figures
-- of one page apart.
function M.svg(figure, id)
  local f = frame(figure, id or "f")
  name_bars(f, figure)
  if figure.note then f.top = f.top + 16 end
  local top = f.top
  draw[figure.kind](f, figure)
  if figure.x and figure.x ~= "" then
    add(f, text((f.left + f.width - f.right) / 2, f.height - 8, figure.x,
                'text-anchor="middle"'))
  end
  local head = { ('<svg xmlns="http://www.w3.org/2000/svg" width="%d" ' ..
    'height="%d" viewBox="0 0 %d %d" role="img" class="chart %s">'):format(
    f.width, math.ceil(f.height), f.width, math.ceil(f.height), figure.kind),
    "<style>", STYLE, "</style>",
    svg.hatches(figure.segments and #figure.segments > 1 and
                #figure.segments or figure.bars and #figure.bars or 0, f.id),
    ('<rect width="%d" height="%d" fill="#ffffff"/>'):format(f.width,
      math.ceil(f.height)),
    text(12, 20, figure.title or "", 'class="title"') }
  if figure.note then
    head[#head + 1] = text(12, top - 10, figure.note, 'class="small note"')
  end
  return table.concat(head, "\n") .. "\n" .. table.concat(f.out, "\n") ..
         "\n</svg>\n"
end

return M
