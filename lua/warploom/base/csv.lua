-- Lines of comma-separated values, as RFC 4180 says, for spreadsheets and
-- data frames.
--
-- Text in results files comes from labels and names that anyone wrote.  A
-- spreadsheet takes a cell that begins with = + - @ (or a tab, or a return)
-- for a formula and runs it, so such text gets an apostrophe in front, which
-- spreadsheets take for "this is text" (docs/looking.md).  Numbers stay as
-- they are.

local import = ...
local core = import "core"

local M = {}

-- The shortest text that is read as the same number; nil for what is none.
function M.number(v)
  if math.type(v) == "integer" then return tostring(v) end
  if v ~= v or v == math.huge or v == -math.huge then return nil end
  local text = ("%.15g"):format(v)
  return tonumber(text) == v and text or ("%.17g"):format(v)
end

-- One cell; nil and NaN are empty.
function M.cell(v)
  if v == nil then return "" end
  if type(v) == "number" then return M.number(v) or "" end
  v = core.tame(tostring(v))
  local is_number = v:find("^[+-]?%d+%.?%d*$") or
                    v:find("^[+-]?%d+%.?%d*[eE][+-]?%d+$")
  if v:find("^[=+%-@\t\r]") and not is_number then v = "'" .. v end
  if v:find('[,"\r\n]') then return '"' .. v:gsub('"', '""') .. '"' end
  return v
end

function M.line(...)
  local cells = table.pack(...)
  for i = 1, cells.n do cells[i] = M.cell(cells[i]) end
  return table.concat(cells, ",", 1, cells.n)
end

return M
