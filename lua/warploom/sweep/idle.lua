-- Axes of a sweep that change nothing: a misspelt path, a parameter that this
-- machine does not use.

local M = {}

-- What a point is apart from one axis.
local function rest(point, axes, axis)
  local words = {}
  for _, name in ipairs(axes) do
    if name ~= axis then
      words[#words + 1] = name .. "=" .. tostring(point.names[name])
    end
  end
  return table.concat(words, ",")
end

-- Does an axis change a digest anywhere?  Nil if no two points differ in it
-- alone.
local function matters(points, axes, axis)
  local first, compared = {}, false
  for _, point in ipairs(points) do
    local digest = point.result and point.result.digest
    if digest then
      local key = rest(point, axes, axis)
      if not first[key] then
        first[key] = point
      elseif first[key].names[axis] ~= point.names[axis] then
        compared = true
        if first[key].result.digest ~= digest then return true end
      end
    end
  end
  if compared then return false end
end

-- Names of the axes whose values all give the same numbers.
function M.axes(points, axes)
  local out = {}
  for _, axis in ipairs(axes) do
    if matters(points, axes, axis) == false then out[#out + 1] = axis end
  end
  return out
end

return M
