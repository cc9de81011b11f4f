-- Points over numbers, with lines, bands and what is expected, as figures that
-- Vega-Lite draws: with the look, and by the modules, of `warploom plot`
-- (lua/warploom/look), of which nothing is needed but Lua, Node.js and what
-- `./setup.sh charts` fetches.
--
-- A figure is { title =, note =, panels = { panel, .. } }, one below the other.
-- A panel is { title =, x = axis, y = axis, height =, series = { .. },
-- bands = { { name =, low =, high = }, .. }, legend = false }.
-- An axis is { title =, range = { from, to }, log = (true or the base),
-- ticks = { values }, label = (of a tick, an expression of Vega's) }.
-- A series is { name =, colour =, x = {}, y = {}, shape =, line = (width),
-- dash =, says = { of each point }, silent = (not in the legend) }; without
-- points and with a line or a shape it is in the legend only.
-- low and high of a band are { y at the left end, y at the right end }.

local root = (arg[0]:match "^(.*/)" or "./") .. "../.."

-- The library's files, as lua/warploom/import.lua finds them in a program.
local loaded = { core = {} }
local function import(name)
  if loaded[name] == nil then
    local path = ("%s/lua/warploom/%s.lua"):format(root, name)
    loaded[name] = assert(loadfile(path))(import)
  end
  return loaded[name]
end
local vega = import "look/vega"
local json = import "base/json"

local M = { palette = vega.palette, root = root }

local WIDTH = 760
-- Of a point, in square pixels; a triangle of a circle's size looks small.
local POINT = setmetatable({ ["triangle-up"] = 56, ["triangle-down"] = 56,
                             ["triangle-left"] = 56, diamond = 48,
                             cross = 44 },
                           { __index = function() return 34 end })
M.GREY, M.PALE = "#8a8a8a", "#e3e9f0"

-- Shapes that Vega has no names for, in a box from -1 to 1: a circle that is
-- open, and what stands for lines and bands in a legend.
M.RING = "M1,0A1,1,0,1,1,-1,0A1,1,0,1,1,1,0ZM.62,0A.62,.62,0,1,0,-.62,0" ..
         "A.62,.62,0,1,0,.62,0Z"
local LINE = "M-1.2,-.14H1.2V.14H-1.2Z"
local DASHES = "M-1.2,-.14H-.6V.14H-1.2ZM-.3,-.14H.3V.14H-.3ZM.6,-.14H1.2" ..
               "V.14H.6Z"
local BAND = "M-1.2,-.7H1.2V.7H-1.2Z"

local function encoding_of(axis, field, grid)
  local scale = { domain = axis.range, nice = false }
  if axis.log then
    scale.type, scale.base = "log", axis.log ~= true and axis.log or nil
  else
    scale.zero = false
  end
  return { field = field, type = "quantitative", scale = scale,
           title = axis.title,
           axis = { values = axis.ticks, labelExpr = axis.label, grid = grid,
                    minExtent = field == "y" and 36 or nil,
                    labelFlush = false, labelOverlap = "greedy" } }
end

local function within(value, axis)
  return value >= axis.range[1] and value <= axis.range[2]
end

-- Nothing is drawn where nobody sees it.
local function rows_of(series, panel)
  local rows = {}
  for i, x in ipairs(series.x or {}) do
    local y = series.y[i]
    if not (within(x, panel.x) and within(y, panel.y)) then
      error(("%s: %g, %g is outside of the axes"):format(series.name, x, y))
    end
    rows[i] = { x = x, y = y, i = i,
                says = series.says and series.says[i] or
                       ("%s: %.6g, %.6g"):format(series.name, x, y) }
  end
  return rows
end

-- The legend is that of a layer without points: it names what is told.
local function legend_of(panel)
  local names, colours, shapes = {}, {}, {}
  local function add(name, colour, shape)
    local n = #names + 1
    names[n], colours[n], shapes[n] = name, colour, shape
  end
  for _, band in ipairs(panel.bands or {}) do
    add(band.name, M.PALE, BAND)
  end
  for _, series in ipairs(panel.series) do
    if not series.silent then
      add(series.name, series.colour, series.shape or
          series.dash and DASHES or LINE)
    end
  end
  local function scale(range)
    return { field = "name", type = "nominal", title = json.null,
             scale = { domain = names, range = range },
             legend = { columns = panel.columns } }
  end
  return { data = { values = json.empty },
           mark = { type = "point", filled = true, opacity = 1 },
           encoding = { color = scale(colours), shape = scale(shapes) } }
end

local function layers_of(panel)
  local x, y = encoding_of(panel.x, "x", true), encoding_of(panel.y, "y", true)
  local layers = {}
  if panel.legend ~= false then layers[1] = legend_of(panel) end
  for _, band in ipairs(panel.bands or {}) do
    local low, high, rows = band.low, band.high, {}
    for i = 1, 2 do
      rows[i] = { x = panel.x.range[i], y = low[i], high = high[i] }
    end
    layers[#layers + 1] = { data = { values = rows },
      mark = { type = "area", color = M.PALE, clip = true, aria = false },
      encoding = { x = x, y = y, y2 = { field = "high" } } }
  end
  for _, series in ipairs(panel.series) do
    local rows = rows_of(series, panel)
    if series.line and #rows > 0 then
      layers[#layers + 1] = { data = { values = rows },
        mark = { type = "line", color = series.colour, clip = true,
                 strokeWidth = series.line, strokeDash = series.dash,
                 aria = false },
        encoding = { x = x, y = y, order = { field = "i" } } }
    end
    if series.shape and #rows > 0 then
      layers[#layers + 1] = { data = { values = rows },
        mark = { type = "point", filled = true, opacity = 1,
                 size = series.size or POINT[series.shape],
                 shape = series.shape, color = series.colour },
        encoding = { x = x, y = y, description = { field = "says" } } }
    end
  end
  return layers
end

local function panel_of(panel, width)
  return { width = panel.width or width, height = panel.height or 330,
           layer = layers_of(panel),
           title = panel.title and { text = panel.title, offset = 6,
                                     fontWeight = "normal", fontSize = 12 } }
end

-- The specification, as JSON.
function M.json(figure)
  -- Fonts, colours and the rest of how the program's figures look.
  local house = vega.specification { kind = "lines", lines = {},
    title = figure.title, note = figure.note, width = WIDTH }
  local parts = {}
  for i, panel in ipairs(figure.panels) do
    parts[i] = panel_of(panel, WIDTH - 90)
  end
  return json.encode { ["$schema"] = house["$schema"], config = house.config,
    title = house.title, padding = house.padding, vconcat = parts,
    spacing = 18, usermeta = { width = figure.width or WIDTH },
    resolve = { scale = { color = "independent", shape = "independent" } } }
end

local function quote(s) return "'" .. s:gsub("'", "'\\''") .. "'" end

-- The folder of the library that draws; or nil and what is missing.
function M.library()
  local folder = os.getenv "WARPLOOM_CHARTS" or
                 root .. "/build/share/warploom/charts"
  local file = io.open(folder .. "/versions.txt")
  if not file then
    return nil, "no Vega-Lite in " .. folder .. " (./setup.sh charts)"
  end
  file:close()
  if not os.execute "command -v node >/dev/null 2>&1" then
    return nil, "no node (Debian: nodejs)"
  end
  return folder
end

-- Draws a figure into an SVG that is there as a whole or not at all.
function M.draw(figure, path)
  local working = path .. ".working"
  local pipe = io.popen(("node -e \"$(cat %s)\" %s %s"):format(
    quote(root .. "/lua/warploom/look/draw.js"), quote(assert(M.library())),
    quote(working)), "w")
  pipe:write(M.json(figure))
  assert(pipe:close(), "node could not draw " .. path)
  assert(os.rename(working, path))
end

return M
