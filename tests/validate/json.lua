-- Reads JSON: objects and arrays become tables (arrays from 1), null nil.
-- Errors name the byte.
local M = {}

local function fail(text, at, what)
  error(("byte %d: %s, found %q"):format(at, what, text:sub(at, at + 10)), 0)
end

local function blank(text, at) return text:match("^[ \n\r\t]*()", at) end

local escapes = { n = "\n", t = "\t", r = "\r", b = "\b", f = "\f" }
local value

local function string_at(text, at)
  local parts, from = {}, at + 1
  while true do
    local stop = text:find('["\\]', from)
    if not stop then fail(text, at, "string without end") end
    parts[#parts + 1] = text:sub(from, stop - 1)
    if text:sub(stop, stop) == '"' then return table.concat(parts), stop + 1 end
    local c = text:sub(stop + 1, stop + 1)
    if c == "u" then
      parts[#parts + 1] = utf8.char(tonumber(text:sub(stop + 2, stop + 5), 16))
      from = stop + 6
    else
      parts[#parts + 1] = escapes[c] or c
      from = stop + 2
    end
  end
end

local function container(text, at, close, item)
  local out = {}
  at = blank(text, at + 1)
  if text:sub(at, at) == close then return out, at + 1 end
  while true do
    at = item(out, at)
    at = blank(text, at)
    local c = text:sub(at, at)
    if c == close then return out, at + 1 end
    if c ~= "," then fail(text, at, "expected , or " .. close) end
    at = blank(text, at + 1)
  end
end

function value(text, at)
  at = blank(text, at)
  local c = text:sub(at, at)
  if c == "{" then
    return container(text, at, "}", function(out, from)
      local key, after = string_at(text, from)
      after = blank(text, after)
      if text:sub(after, after) ~= ":" then fail(text, after, "expected :") end
      out[key], after = value(text, after + 1)
      return after
    end)
  elseif c == "[" then
    return container(text, at, "]", function(out, from)
      local after
      out[#out + 1], after = value(text, from)
      return after
    end)
  elseif c == '"' then
    return string_at(text, at)
  end
  local word, after = text:match("^(%a+)()", at)
  if word == "true" then return true, after end
  if word == "false" then return false, after end
  if word == "null" then return nil, after end
  local number, stop = text:match("^(-?%d[%d.eE+-]*)()", at)
  if not number then fail(text, at, "expected a value") end
  return math.tointeger(tonumber(number)) or tonumber(number), stop
end

function M.parse(text) return (value(text, 1)) end

return M
