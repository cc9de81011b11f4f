-- Rows of numbers for other programs: CSV, or a JSON list of objects.

local import = ...
local csv = import "base/csv"
local json = import "base/json"

local M = {}

-- A row as an object; what is missing is null.
function M.object(head, row)
  local object = {}
  for i, name in ipairs(head) do
    local value = row[i]
    if value == nil or value ~= value then value = json.null end
    object[name] = value
  end
  return object
end

-- A list of rows as a JSON value.
function M.list(head, rows)
  local list = {}
  for i, row in ipairs(rows) do list[i] = M.object(head, row) end
  return #list > 0 and list or json.empty
end

-- Returns add(...), with a cell for each name of the head, and finish(); texts
-- go to out(text).
function M.writer(head, as_json, out)
  if not as_json then
    out(csv.line(table.unpack(head)) .. "\n")
    return function(...) out(csv.line(...) .. "\n") end, function() end
  end
  local count = 0
  return function(...)
    local object = json.encode(M.object(head, { ... }))
    out((count == 0 and "[\n" or ",\n") .. object)
    count = count + 1
  end, function() out(count == 0 and "[]\n" or "\n]\n") end
end

-- All at once, as a text.
function M.text(head, rows, as_json)
  local parts = {}
  local add, finish = M.writer(head, as_json, function(text)
    parts[#parts + 1] = text
  end)
  for _, row in ipairs(rows) do add(table.unpack(row, 1, #head)) end
  finish()
  return table.concat(parts)
end

return M
