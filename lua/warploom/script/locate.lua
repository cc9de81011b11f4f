-- Where in a script a field of a table constructor is.  Lua tells a function
-- the line of its call only, and a call with a constructor may span fifty.

local M = {}

-- Iterates over tokens that matter from byte `at`: names, and single
-- characters; strings come as "str", comments not at all.
local function tokens(text, at)
  return function()
    while true do
      at = text:find("%S", at)
      if not at then return nil end
      local start = at
      local long = text:match("^%-%-%[(=*)%[", at)
      if long then
        local _, stop = text:find("]" .. long .. "]", at, true)
        at = (stop or #text) + 1
      elseif text:find("^%-%-", at) then
        at = text:find("\n", at, true) or #text + 1
      elseif text:find("^[\"']", at) then
        local quote = text:sub(at, at)
        at = at + 1
        while at <= #text and text:sub(at, at) ~= quote do
          at = at + (text:sub(at, at) == "\\" and 2 or 1)
        end
        at = at + 1
        return "str", start, at
      elseif text:find("^%[=*%[", at) then
        local level = text:match("^%[(=*)%[", at)
        local _, stop = text:find("]" .. level .. "]", at, true)
        at = (stop or #text) + 1
        return "str", start, at
      else
        local name = text:match("^[%a_][%w_]*", at)
        at = at + #(name or " ")
        return name or text:sub(start, start), start, at
      end
    end
  end
end

local function offset_of_line(text, line)
  local at = 1
  for _ = 2, line do
    at = text:find("\n", at, true)
    if not at then return nil end
    at = at + 1
  end
  return at
end

local function line_of(text, offset)
  local _, count = text:sub(1, offset - 1):gsub("\n", "")
  return count + 1
end

local opens = { ["{"] = true, ["("] = true, ["["] = true }
local closes = { ["}"] = true, [")"] = true, ["]"] = true }

-- The offset just after the `{` that follows the word `anchor`.  Most words
-- are nowhere in a script: what a preset sets has the name of a type.
local function after_anchor(text, at, anchor)
  local word = "%f[%w_]" .. anchor .. "%f[^%w_]%s*"
  if not text:find(word .. "[-{(\"']", at) and
     not text:find(word .. "%[[=%[]", at) then
    return nil
  end
  local previous
  for token, _, stop in tokens(text, at) do
    if token == "{" and previous == anchor then return stop end
    if token ~= "(" and token ~= "str" then previous = token end
  end
end

-- The offset of field `key` in the braces that `at` is in, and the offset of
-- its value.
local function find_key(text, at, key)
  local depth = 0
  local name, name_at
  for token, start, stop in tokens(text, at) do
    if opens[token] then
      depth = depth + 1
    elseif closes[token] then
      depth = depth - 1
      if depth < 0 then return nil end
    elseif token == "=" and depth == 0 and name == key then
      return name_at, stop
    end
    name, name_at = token, start
  end
end

-- The line of the field that `keys` lead to; `line` if it is not found.
function M.field(text, line, anchor, keys)
  local at = offset_of_line(text, line)
  at = at and after_anchor(text, at, anchor)
  local found
  for _, key in ipairs(keys) do
    if not at then break end
    local where, value = find_key(text, at, key)
    if not where then break end
    found = where
    local brace = text:match("^%s*{()", value)
    at = brace
  end
  return found and line_of(text, found) or line
end

return M
