-- Values with units: "128KiB", "1.4GHz", "10us".
--
-- Reading is exact: "1.4GHz" is 1400000000 and not the nearest double, and
-- what is not a whole number of its unit is refused where a whole one is
-- wanted.  k, M, G, T are powers of 1000, Ki, Mi, Gi, Ti of 1024.

local M = {}

local decimal = { f = -15, p = -12, n = -9, u = -6, ["µ"] = -6, m = -3,
                  [""] = 0, k = 3, M = 6, G = 9, T = 12 }
local binary = { Ki = 1 << 10, Mi = 1 << 20, Gi = 1 << 30, Ti = 1 << 40 }

-- How a unit token of the schema is written after a number.
local suffixes = {
  byte = { "B" }, Hz = { "Hz" }, s = { "s" }, ["byte/s"] = { "B/s" },
  cycle = { "cycles", "cycle" }, J = { "J" }, W = { "W" },
}

local examples = {
  J = '"60pJ"', W = '"5mW"',
  byte = '"64KiB"', Hz = '"700MHz"', s = '"10us"', ["byte/s"] = '"64GB/s"',
}

local kinds = { byte = "a size", Hz = "a frequency", s = "a duration",
                ["byte/s"] = "a rate", J = "an energy", W = "a power" }

-- Units whose values may be written as plain numbers.
local bare = { Hz = false, s = false, ["byte/s"] = false }

-- Splits "1.4 GHz" for a unit: mantissa digits, power of ten, factor of two.
local function split(text, unit)
  local digits, rest = text:match("^%s*([%d][%d_]*%.?%d*)%s*(.-)%s*$")
  if not digits then return nil end
  local prefix
  for _, suffix in ipairs(suffixes[unit] or {}) do
    if rest:sub(-#suffix) == suffix then
      prefix = rest:sub(1, -#suffix - 1)
      break
    end
  end
  if not prefix then return nil end
  digits = digits:gsub("_", "")
  local whole, fraction = digits:match("^(%d+)%.?(%d*)$")
  local power, factor = decimal[prefix], binary[prefix]
  if not power and not factor then return nil end
  return (whole .. fraction):gsub("^0+(%d)", "%1"), (power or 0) - #fraction,
         factor or 1
end

-- The value of `text` times 10^shift as an exact integer; nil if it is not
-- one, does not fit or is not a quantity of `unit`.
function M.exact(text, unit, shift)
  local digits, power, factor = split(text, unit)
  if not digits or #digits > 18 then return nil end
  power = power + (shift or 0)
  if tonumber(digits) * 1.0 * factor * 10.0 ^ math.max(power, 0) >= 2.0 ^ 62
  then
    return nil
  end
  local value = math.tointeger(tonumber(digits)) * factor
  for _ = 1, power do value = value * 10 end
  for _ = 1, -power do
    if value % 10 ~= 0 then return nil end
    value = value // 10
  end
  return value
end

-- The value of `text` as a number, whole or not.
function M.number(text, unit)
  local exact = M.exact(text, unit)
  if exact then return exact end
  local digits, power, factor = split(text, unit)
  if not digits then return nil end
  return tonumber(digits .. "e" .. power) * factor
end

-- "10us" -> femtoseconds.
function M.femtoseconds(text)
  return M.exact(text, "s", 15)
end

local function scaled(value, names, step)
  local i = 1
  while i < #names and value >= step and value % step == 0 do
    value, i = value // step, i + 1
  end
  return value, names[i]
end

-- A value as a user would write it.
function M.format(value, unit)
  if type(value) == "boolean" then return tostring(value) end
  if type(value) == "string" then return ("%q"):format(value) end
  if type(value) == "table" then
    local parts = {}
    for i, v in ipairs(value) do parts[i] = M.format(v, unit) end
    return "{ " .. table.concat(parts, ", ") .. " }"
  end
  if type(value) ~= "number" then return tostring(value) end
  if math.type(value) == "integer" and value ~= 0 then
    if unit == "byte" and value >= 1024 and value % 1024 == 0 then
      local n, prefix = scaled(value, { "", "Ki", "Mi", "Gi", "Ti" }, 1024)
      return ('"%d%sB"'):format(n, prefix)
    elseif unit == "Hz" then
      local n, prefix = scaled(value, { "", "k", "M", "G", "T" }, 1000)
      return ('"%d%sHz"'):format(n, prefix)
    end
  end
  if math.type(value) == "float" then return ("%.14g"):format(value) end
  return tostring(value)
end

-- The same without quotes.
function M.plain(value, unit)
  return (M.format(value, unit):gsub('"', ""))
end

-- A wrong value as a message quotes it.
function M.quote(value)
  if type(value) == "string" then return ('"%s"'):format(value) end
  if math.type(value) == "float" then return ("%.14g"):format(value) end
  if type(value) == "table" or type(value) == "userdata" then
    local meta = getmetatable(value)
    if meta == "record" then return tostring(value) end
    if type(meta) == "table" and meta.__tostring then return tostring(value) end
    return "a " .. type(value)
  end
  if type(value) == "function" then return "a function" end
  return tostring(value)
end

local function range(spec)
  local low, high = spec.min, spec.max
  local unit = spec.unit
  if high then
    return (" %s..%s"):format(M.plain(low or 0, unit), M.plain(high, unit))
  elseif low and low ~= 0 then
    return " of at least " .. M.plain(low, unit)
  end
  return ""
end

-- A value that would be accepted.
local function example_of(spec)
  local example = examples[spec.unit]
  if example and not M.accepts(spec, (example:gsub('"', ""))) then
    return M.format(spec.default or spec.min, spec.unit)
  end
  return example
end

-- What a parameter wants, in words.
function M.expectation(spec, value)
  if spec.type == "boolean" then return "expected true or false" end
  if spec.choices then
    local quoted = {}
    for i, c in ipairs(spec.choices) do quoted[i] = ('"%s"'):format(c) end
    return "expected " .. table.concat(quoted, ", ")
  end
  if spec.type == "string" then return "expected a string" end
  local what = spec.type == "number" and "a number" or "a whole number"
  what = kinds[spec.unit] or what
  if spec.power_of_2 then what = "a power of two" end
  if spec.type == "list" then what = "a list of whole numbers" end
  local text = "expected " .. what .. range(spec)
  local example = example_of(spec)
  if example and (bare[spec.unit] == false or type(value) ~= "number") then
    text = text .. (", such as %s"):format(example)
  elseif spec.unit ~= "1" and not kinds[spec.unit] then
    text = text .. (" (%s)"):format(spec.unit)
  end
  return text
end

local function misspelt(value, unit)
  -- "64KB", "64kb", "64K", "1.4ghz": the same letters in another case.
  if type(value) ~= "string" then return nil end
  local digits, rest = value:match("^%s*([%d%.]+)%s*(%a[%a/]*)%s*$")
  if not digits or not suffixes[unit] then return nil end
  local names = {}
  for _, prefix in ipairs { "", "k", "M", "G", "T", "Ki", "Mi", "Gi", "Ti",
                            "m", "u", "n", "p" } do
    for _, suffix in ipairs(suffixes[unit]) do
      names[#names + 1] = prefix .. suffix
    end
  end
  local wanted = rest:lower()
  if unit == "byte" then
    local letter = wanted:match("^([kmgt])i?b?$")
    if letter then
      local upper = letter:upper()
      return digits .. upper .. "iB"
    end
  end
  for _, name in ipairs(names) do
    if name:lower() == wanted then return digits .. name end
  end
end

local function check_range(spec, value)
  if spec.min and value < spec.min then return false end
  if spec.max and value > spec.max then return false end
  if spec.type == "number" then return true end
  if value < 0 then return false end
  if not spec.wide and value > 0xffffffff then return false end
  return not spec.power_of_2 or value > 0 and value & (value - 1) == 0
end

local function read_number(spec, value)
  local integral = spec.type ~= "number"
  if type(value) == "string" then
    if integral then return M.exact(value, spec.unit) end
    local percent = spec.unit == "1" and value:match("^%s*([%d%.]+)%s*%%%s*$")
    if percent then return tonumber(percent) / 100 end
    local number = M.number(value, spec.unit)
    return number and number + 0.0
  end
  if type(value) ~= "number" or bare[spec.unit] == false and value ~= 0 then
    return nil
  end
  if integral then return math.tointeger(value) end
  return value == value and value + 0.0 or nil
end

-- A number without a unit where a frequency is wanted: what a clock may be.
local function frequency(value)
  if value >= 1000000 and math.tointeger(value) then
    return M.plain(math.tointeger(value), "Hz")
  end
  return ("%.14g%s"):format(value, value >= 10 and "MHz" or "GHz")
end

-- What may have been meant: as the user would write it, and the value.
local function meant(spec, value)
  local text = misspelt(value, spec.unit)
  if text then return ("\"%s\""):format(text), text end
  if type(value) == "string" and spec.type ~= "string" and
     tonumber(value) and bare[spec.unit] ~= false then
    return value .. " without quotes", tonumber(value)
  elseif spec.unit == "Hz" and type(value) == "number" then
    return ("\"%s\""):format(frequency(value)), frequency(value)
  elseif spec.type == "boolean" and (value == "true" or value == "false") then
    return value .. " without quotes", value == "true"
  end
end

-- Only what would be accepted is suggested.
local function suggestion(spec, value)
  local text, wanted = meant(spec, value)
  if text and M.accepts(spec, wanted) then
    return ("; did you mean %s?"):format(text)
  end
  return ""
end

local function read_list(spec, value)
  if type(value) ~= "table" or getmetatable(value) then return nil end
  local list = {}
  for i = 1, #value do
    local item = read_number(spec, value[i])
    if not item or not check_range(spec, item) then return nil end
    list[i] = item
  end
  for key in next, value do
    if math.type(key) ~= "integer" then return nil end
  end
  return list
end

-- A value for a parameter, converted; nil: it is none.
local function read(spec, value)
  if spec.type == "boolean" then
    if type(value) == "boolean" then return value end
  elseif spec.type == "string" then
    if type(value) ~= "string" then return nil end
    local good = not spec.choices
    for _, choice in ipairs(spec.choices or {}) do
      good = good or choice == value
    end
    return good and value or nil
  elseif spec.type == "list" then
    return read_list(spec, value)
  else
    local result = read_number(spec, value)
    return result and check_range(spec, result) and result or nil
  end
end

function M.accepts(spec, value) return read(spec, value) ~= nil end

-- Checks a value for a parameter.  Returns it converted, or nil, what was
-- expected and a suggestion (which may be "").
function M.check(spec, value, nearest)
  local result = read(spec, value)
  if result ~= nil then return result end
  if spec.choices and type(value) == "string" then
    local best = nearest and nearest(value, spec.choices)
    return nil, M.expectation(spec),
           best and ('; did you mean "%s"?'):format(best) or ""
  end
  return nil, M.expectation(spec, value), suggestion(spec, value)
end

return M
