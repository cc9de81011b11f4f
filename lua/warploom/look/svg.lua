-- Pieces of SVG: escaped text, colours, ticks, numbers for people.

local M = {}

-- Okabe and Ito's colours, which people with any colour vision can tell
-- apart; yellow late, black last.
M.palette = { "#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9",
              "#D55E00", "#F0E442", "#5B5B5B" }

local escapes = { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;",
                  ['"'] = "&quot;" }

function M.escape(text)
  text = tostring(text):gsub("[%z\1-\8\11\12\14-\31]", " ")
  if not utf8.len(text) then text = text:gsub("[\128-\255]", "?") end
  return (text:gsub('[&<>"]', escapes))
end

-- A coordinate: two decimals are a fiftieth of a pixel.
function M.at(x)
  local text = ("%.2f"):format(x):gsub("%.?0+$", "")
  return text == "-0" and "0" or text
end

-- The width of a text in a wide sans serif, about, in pixels.
function M.width(text, size)
  return (utf8.len(text) or #text) * size * 0.62
end

-- A text element; `more` are further attributes.
function M.text(x, y, text, more)
  return ('<text x="%s" y="%s"%s>%s</text>'):format(M.at(x), M.at(y),
    more and " " .. more or "", M.escape(text))
end

function M.line(x1, y1, x2, y2, class)
  return ('<line class="%s" x1="%s" y1="%s" x2="%s" y2="%s"/>'):format(class,
    M.at(x1), M.at(y1), M.at(x2), M.at(y2))
end

local prefixes = { { 1e12, "T" }, { 1e9, "G" }, { 1e6, "M" }, { 1e3, "k" } }

-- 1234567 -> "1.23 M" with `digits` significant ones; small numbers plain.
function M.number(value, digits)
  digits = digits or 4
  if value ~= value then return "none" end
  local size = math.abs(value)
  if size == math.huge then return value > 0 and "inf" or "-inf" end
  for _, prefix in ipairs(prefixes) do
    if size >= prefix[1] * 0.9999999 and size < 1e16 and size >= 1e4 then
      local text = ("%." .. digits .. "g"):format(value / prefix[1])
      if text:find("e") then text = ("%.0f"):format(value / prefix[1]) end
      return text .. " " .. prefix[2]
    end
  end
  if value == math.floor(value) and size < 1e4 then
    return ("%d"):format(value)
  end
  return ("%." .. digits .. "g"):format(value)
end

-- Whole numbers in full, for tooltips.
function M.exact(value)
  if math.type(value) == "integer" then
    local sign, digits = tostring(value):match("^(%-?)(%d+)$")
    digits = digits:reverse():gsub("(%d%d%d)", "%1,"):reverse():gsub("^,", "")
    return sign .. digits
  end
  return ("%.6g"):format(value)
end

-- Ticks at 1, 2 or 5 times a power of ten: about `count` of them in [a, b].
function M.ticks(a, b, count)
  if b <= a then return { a } end
  local raw = (b - a) / (count or 5)
  local power = 10.0 ^ math.floor(math.log(raw, 10))
  local step = power
  for _, factor in ipairs { 1, 2, 5, 10 } do
    step = power * factor
    if step >= raw * 0.999 then break end
  end
  local out = {}
  for i = math.ceil(a / step - 1e-9), math.floor(b / step + 1e-9) do
    out[#out + 1] = i * step
  end
  return out
end

-- A scale from values to pixels: { map =, ticks =, labels =, low =, high = }.
-- `spec` has low and high, and log = 2 or 10.
function M.scale(spec, from, to)
  local low, high = spec.low, spec.high
  local out = { labels = {} }
  if spec.log then
    local base = spec.log
    local a = math.floor(math.log(math.max(low, 1e-12), base) + 1e-9)
    local b = math.ceil(math.log(math.max(high, 1e-12), base) - 1e-9)
    if b <= a then b = a + 1 end
    local every = math.max(1, math.ceil((b - a) / (spec.count or 8)))
    out.ticks = {}
    for k = a, b, every do out.ticks[#out.ticks + 1] = (base + 0.0) ^ k end
    out.low, out.high = (base + 0.0) ^ a, (base + 0.0) ^ b
    function out.map(v)
      local at = math.log(math.max(v, out.low), base)
      return from + (to - from) * (at - a) / (b - a)
    end
  else
    if high <= low then high = low + 1 end
    out.ticks = M.ticks(low, high, spec.count)
    if not spec.tight then -- end on a tick
      local step = out.ticks[2] and out.ticks[2] - out.ticks[1]
      if step and out.ticks[#out.ticks] < high - step * 0.01 then
        out.ticks[#out.ticks + 1] = out.ticks[#out.ticks] + step
      end
      high = math.max(high, out.ticks[#out.ticks])
    end
    out.low, out.high = low, high
    function out.map(v) return from + (to - from) * (v - low) / (high - low) end
  end
  for i, t in ipairs(out.ticks) do out.labels[i] = M.number(t, 4) end
  return out
end

-- Cividis: dark blue to yellow, even in lightness, the same for all readers.
local stops = { { 0, 34, 78 }, { 18, 53, 112 }, { 59, 73, 108 },
                { 87, 93, 109 }, { 112, 113, 115 }, { 138, 134, 120 },
                { 165, 156, 116 }, { 195, 179, 105 }, { 225, 204, 85 },
                { 254, 232, 56 } }

-- A colour for x in 0 .. 1, and whether it is dark.
function M.shade(x)
  local at = math.min(math.max(x, 0), 1) * (#stops - 1)
  local i = math.min(math.floor(at), #stops - 2)
  local part, rgb = at - i, {}
  for k = 1, 3 do
    rgb[k] = math.floor(stops[i + 1][k] +
                        (stops[i + 2][k] - stops[i + 1][k]) * part + 0.5)
  end
  return ("#%02x%02x%02x"):format(rgb[1], rgb[2], rgb[3]), x < 0.6
end

-- The fill of series i of a figure: beyond the eight colours they come again
-- with hatching, which needs the figure's patterns.
function M.fill(i, id)
  local n = #M.palette
  if i <= n then return M.palette[i] end
  return ("url(#%s-hatch%d)"):format(id, (i - 1) % n + 1)
end

function M.hatches(count, id)
  local out = {}
  for i = 1, math.min(math.max(count - #M.palette, 0), #M.palette) do
    out[i] = ('<pattern id="%s-hatch%d" width="6" height="6" ' ..
      'patternUnits="userSpaceOnUse" patternTransform="rotate(45)">' ..
      '<rect width="6" height="6" fill="%s"/>' ..
      '<rect width="2" height="6" fill="#ffffff"/></pattern>'):format(id, i,
      M.palette[i])
  end
  return #out > 0 and "<defs>" .. table.concat(out) .. "</defs>" or ""
end

return M
