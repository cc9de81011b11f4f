-- Numbers and names for people, and for HTML.

local M = {}

local escapes = { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;",
                  ['"'] = "&quot;" }

function M.escape(text)
  text = tostring(text):gsub("[%z\1-\8\11\12\14-\31]", " ")
  if not utf8.len(text) then text = text:gsub("[\128-\255]", "?") end
  return (text:gsub('[&<>"]', escapes))
end

-- The width of a text in a wide sans serif, about, in pixels.
function M.width(text, size)
  return (utf8.len(text) or #text) * size * 0.62
end

function M.widest(names, size)
  local most = 0
  for _, name in ipairs(names) do
    most = math.max(most, M.width(name, size))
  end
  return most
end

local prefixes = { { 1e12, "T" }, { 1e9, "G" }, { 1e6, "M" }, { 1e3, "k" } }

-- 1234567 -> "1.235 M"; small numbers plain, with four significant digits.
function M.number(value)
  if value ~= value then return "none" end
  local size = math.abs(value)
  if size == math.huge then return value > 0 and "inf" or "-inf" end
  for _, prefix in ipairs(prefixes) do
    if size >= prefix[1] * 0.9999999 and size < 1e16 and size >= 1e4 then
      local text = ("%.4g"):format(value / prefix[1])
      if text:find("e") then text = ("%.0f"):format(value / prefix[1]) end
      return text .. " " .. prefix[2]
    end
  end
  if value == math.floor(value) and size < 1e4 then
    return ("%d"):format(value)
  end
  return ("%.4g"):format(value)
end

-- Whole numbers in full, others with six digits.
function M.exact(value)
  if math.type(value) == "integer" then
    local sign, digits = tostring(value):match("^(%-?)(%d+)$")
    digits = digits:reverse():gsub("(%d%d%d)", "%1,"):reverse():gsub("^,", "")
    return sign .. digits
  end
  return ("%.6g"):format(value)
end

return M
