-- Aligned tables of text and human numbers.

local import = ...
local core = import "core"

local M = {}

-- Rows of cells -> lines; cells that look like numbers are right-aligned if
-- `right` has their column.
function M.columns(given, right, indent)
  local widths, lines, rows = {}, {}, {}
  for r, row in ipairs(given) do
    rows[r] = {}
    for i, cell in ipairs(row) do -- one line that no terminal obeys
      rows[r][i] = core.tame(tostring(cell)):gsub("[\t\n]", " ")
    end
  end
  for _, row in ipairs(rows) do
    for i, cell in ipairs(row) do
      widths[i] = math.max(widths[i] or 0, utf8.len(cell) or #cell)
    end
  end
  for _, row in ipairs(rows) do
    local parts = {}
    for i, cell in ipairs(row) do
      local pad = (" "):rep(widths[i] - (utf8.len(cell) or #cell))
      if right and right[i] then
        parts[i] = pad .. cell
      else
        parts[i] = cell .. (i < #row and pad or "")
      end
    end
    local line = (indent or "") .. table.concat(parts, "  ")
    lines[#lines + 1] = (line:gsub("%s+$", ""))
  end
  return lines
end

-- As M.columns, with the last cell of each row broken to fit `width`.
function M.wrapped(rows, indent, width)
  local narrow, used = {}, 0
  for i, row in ipairs(rows) do
    narrow[i] = table.move(row, 1, #row - 1, 1, {})
    narrow[i][#row] = "|"
  end
  local lines = M.columns(narrow, nil, indent)
  for _, line in ipairs(lines) do used = math.max(used, #line) end
  local out = {}
  local pad = (" "):rep(used - 1)
  local room = math.max(width - used, 40)
  for i, line in ipairs(lines) do
    local parts = M.wrap(tostring(rows[i][#rows[i]]), room)
    out[#out + 1] = (line:sub(1, -2) .. parts[1]):gsub("%s+$", "")
    for k = 2, #parts do out[#out + 1] = pad .. parts[k] end
  end
  return out
end

-- 1234567 -> "1,234,567"
function M.thousands(n)
  local digits = ("%.0f"):format(n)
  local sign, rest = digits:match("^(%-?)(%d+)$")
  if not rest then return digits end
  rest = rest:reverse():gsub("(%d%d%d)", "%1,"):reverse():gsub("^,", "")
  return sign .. rest
end

function M.percent(x)
  return ("%.2f %%"):format(100 * x)
end

-- Breaks a text into lines of at most `width` characters.
function M.wrap(s, width)
  local lines, line = {}, ""
  for word in s:gmatch("%S+") do
    if #line > 0 and #line + 1 + #word > width then
      lines[#lines + 1] = line
      line = word
    else
      line = #line > 0 and line .. " " .. word or word
    end
  end
  lines[#lines + 1] = line
  return lines
end

return M
