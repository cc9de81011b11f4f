-- Lua values as JSON: keys in order, numbers with as many digits as they
-- need, so that the same value is the same text.

local M = {}

-- An empty table is an object; this is an empty list.  And null, which a
-- table cannot hold.
M.empty, M.null = {}, {}

local escapes = { ['"'] = '\\"', ["\\"] = "\\\\", ["\n"] = "\\n",
                  ["\t"] = "\\t" }

local function text(s)
  if not utf8.len(s) then s = s:gsub("[\128-\255]", "?") end
  -- No "<", so that it can stand in a page's <script>.
  return '"' .. s:gsub('[%c"\\<]', function(c)
    return escapes[c] or ("\\u%04x"):format(c:byte())
  end) .. '"'
end

local function number(v)
  if v ~= v or v == math.huge or v == -math.huge then return "null" end
  if math.type(v) == "integer" then return ("%d"):format(v) end
  for digits = 15, 17 do
    local s = ("%%.%dg"):format(digits):format(v)
    if tonumber(s) == v then return s end
  end
end

local encode

local function list(v)
  local out = {}
  for i, item in ipairs(v) do out[i] = encode(item) end
  return "[" .. table.concat(out, ",") .. "]"
end

local function object(v)
  local keys, out = {}, {}
  for key in next, v do keys[#keys + 1] = key end
  table.sort(keys)
  for i, key in ipairs(keys) do out[i] = text(key) .. ":" .. encode(v[key]) end
  return "{" .. table.concat(out, ",") .. "}"
end

function encode(v)
  local kind = type(v)
  if v == M.null then
    return "null"
  elseif kind == "table" then
    if v == M.empty or #v > 0 then return list(v) end
    return object(v)
  elseif kind == "string" then
    return text(v)
  elseif kind == "number" then
    return number(v)
  end
  return tostring(v) -- true, false
end
M.encode = encode

return M
