-- Fills that can be told apart without colour: patterns of SVG.
--
-- A fill is "url(#hatch-PATTERN-COLOUR) #rrggbb": what does not know the
-- pattern draws the colour.  The patterns of a figure travel in its
-- specification (usermeta.patterns), and who makes the SVG puts them in it
-- (draw.js, page.js).

local M = {}

-- Paths on a tile of 8 by 8, and the width of their strokes; dots are filled.
local patterns = {
  { "M-2,2 l4,-4 M0,8 l8,-8 M6,10 l4,-4", 1.5 },  -- /
  { "M-2,6 l4,4 M0,0 l8,8 M6,-2 l4,4", 1.5 },     -- \
  { "M0,8 l8,-8 M0,0 l8,8", 1.1 },                -- x
  { "M0,2 h8 M0,6 h8", 1.3 },                     -- =
  { "M2,0 v8 M6,0 v8", 1.3 },                     -- ||
  { "M1,2 h2 M5,6 h2", 2.2 },                     -- dots
  { "M0,4 h8 M4,0 v8", 1.3 },                     -- +
  { "M-2,2 l4,-4 M-2,6 l8,-8 M0,8 l8,-8 M2,10 l8,-8 M6,10 l4,-4", 1.1 }, -- //
  { "M0,6 l4,-4 l4,4", 1.5 },                     -- ^
  { "M0,4 h8", 2.6 },                             -- -
  { "M4,0 v8", 2.6 },                             -- |
}
M.count = #patterns

-- Light lines on what is dark, dark ones on what is light.
local function ink(colour)
  local sum = 0
  for i, weight in ipairs { 0.2126, 0.7152, 0.0722 } do
    local part = tonumber(colour:sub(2 * i, 2 * i + 1), 16) / 255
    sum = sum + weight * part * part -- about linear
  end
  return sum < 0.3 and "#ffffff" or "#222222"
end

local function id(pattern, colour)
  return ("hatch-%d-%s"):format(pattern, colour:sub(2))
end

-- The fill of a colour with pattern 0 (none) to M.count.
function M.fill(pattern, colour)
  if pattern == 0 then return colour end
  return ("url(#%s) %s"):format(id(pattern, colour), colour)
end

-- What an SVG needs of a list of fills; nil where none is hatched.
function M.definitions(fills)
  local out, seen = {}, {}
  for _, fill in ipairs(fills) do
    local pattern, colour = fill:match("^url%(#hatch%-(%d+)%-%x+%) (#%x+)$")
    if pattern and not seen[fill] then
      seen[fill] = true
      local one = patterns[tonumber(pattern)]
      out[#out + 1] = ('<pattern id="%s" width="8" height="8" ' ..
        'patternUnits="userSpaceOnUse"><rect width="8" height="8" ' ..
        'fill="%s"/><path d="%s" fill="none" stroke="%s" ' ..
        'stroke-width="%g"/></pattern>'):format(id(tonumber(pattern), colour),
        colour, one[1], ink(colour), one[2])
    end
  end
  return #out > 0 and "<defs>" .. table.concat(out) .. "</defs>" or nil
end

return M
