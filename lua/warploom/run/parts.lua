-- What loom.run is given of which parts of it are timed: samples, windows, some
-- launches.

local import = ...
local session = import "script/session"
local record = import "machine/record"
local unit = import "base/unit"
local poison = import "base/poison"
local sample = import "run/sample"
local placed = import "run/placed"
local timed = import "run/timed"
local given_field = import "run/given"

local problem, check_names = given_field.problem, given_field.check_names
local whole = given_field.whole
local M = {}

-- A share, such as "1%" or 0.01.
local function share(value)
  local percent = type(value) == "string" and
                  value:match("^%s*([%d.]+)%s*%%%s*$")
  local number = percent and tonumber(percent)
  number = number and number / 100 or type(value) == "number" and value
  return number and number > 0 and number < 1 and number or nil
end

-- Windows by hand (run/placed.lua).
local function check_windows(site, given)
  local out = {}
  if getmetatable(given) or #given == 0 then
    problem(site, { "sample", "windows" }, "'sample.windows' is %s, " ..
            "expected a number or a list of { kernel = .., from = .., " ..
            "insts = .. }",
            unit.quote(given))
    return nil
  end
  for i, window in ipairs(given) do
    local at = { "sample", "windows", i }
    local function number(key, least)
      local value = window[key]
      local whole_value = math.tointeger(value)
      if whole_value and whole_value >= least then return whole_value end
      problem(site, { "sample", "windows", i, key },
              "'sample.windows[%d].%s' is %s, expected a whole number of " ..
              "at least %d", i, key, unit.quote(value), least)
    end
    if type(window) ~= "table" or getmetatable(window) then
      problem(site, at, "'sample.windows[%d]' is %s, expected " ..
              "{ kernel = .., from = .., insts = .. }", i, unit.quote(window))
      return nil
    end
    check_names(site, at, window, placed.fields)
    local wrong = timed.wrong(window.kernel)
    if wrong then
      problem(site, at, "'sample.windows[%d].kernel' is %s, %s", i,
              unit.quote(window.kernel), wrong)
    end
    out[i] = { kernel = window.kernel, from = number("from", 0),
               insts = number("insts", 1),
               launch = window.launch ~= nil and number("launch", 0) or nil,
               ramp = window.ramp ~= nil and number("ramp", 0) or nil }
  end
  return out
end

-- How the run is sampled, or nil.
function M.sample(site, given)
  if given == nil then given = session.sample end
  if not given or given == poison then return nil end
  if type(given) == "string" then given = { error = given } end
  local out = {}
  for key, value in next, sample.defaults do out[key] = value end
  if given == true then return out end
  if type(given) ~= "table" or getmetatable(given) then
    problem(site, "sample", "'sample' is %s, expected true or { error = " ..
            "\"1%%\" }", unit.quote(given))
    return nil
  end
  check_names(site, { "sample" }, given, record.sorted_keys(sample.defaults))
  for _, key in ipairs(record.sorted_keys(sample.defaults)) do
    if given[key] ~= nil and key == "error" then
      out.error = share(given.error)
      if not out.error then
        problem(site, { "sample", key }, "'sample.error' is %s, expected a " ..
                "share of the time, such as \"1%%\"",
                unit.quote(given.error))
      end
    elseif key == "windows" and type(given[key]) == "table" then
      out.placed = check_windows(site, given[key])
    elseif given[key] ~= nil and (key == "warm" or key == "lives") then
      out[key] = type(given[key]) == "number" and given[key] >= 0 and
                 given[key] <= 1000 and given[key] or nil
      if not out[key] then
        problem(site, { "sample", key }, "'sample.%s' is %s, expected a " ..
                "number from 0 to 1000", key, unit.quote(given[key]))
      end
    elseif given[key] ~= nil then
      out[key] = whole(site, { "sample", key }, given[key], "sample." .. key)
    end
  end
  return out
end

-- Names of kernels, as a list.
local function check_kernels(site, given)
  local list = type(given) == "string" and timed.names(given) or given
  local at = { "timed", "kernels" }
  if type(list) ~= "table" or getmetatable(list) or #list == 0 then
    problem(site, at, "'timed.kernels' is %s, expected a kernel's name, in " ..
            "which * is anything, a regular expression, or a list of them",
            unit.quote(given))
    return nil
  end
  for key, name in next, list do
    local wrong = not math.type(key) and "expected a list of names" or
                  timed.wrong(name)
    if wrong then
      problem(site, at, "'timed.kernels' has %s, %s", unit.quote(name), wrong)
    end
  end
  return list
end

-- Which launches are timed, or nil: all.
function M.timed(site, given)
  if given == nil then return session.timed end
  if given == poison then return nil end
  if type(given) ~= "table" or getmetatable(given) then
    problem(site, "timed", "'timed' is %s, expected { kernels = \"name*\", " ..
            "first =, last =, skip =, time = }", unit.quote(given))
    return nil
  end
  check_names(site, { "timed" }, given, timed.fields)
  local out = {}
  if given.kernels ~= nil then
    out.kernels = check_kernels(site, given.kernels)
  end
  for _, key in ipairs { "first", "last", "skip", "time" } do
    local n, least = math.tointeger(given[key]), key == "time" and 1 or 0
    out[key] = n and n >= least and n or nil
    if given[key] ~= nil and not out[key] then
      problem(site, { "timed", key }, "'timed.%s' is %s, expected a whole " ..
              "number of at least %d", key, unit.quote(given[key]), least)
    end
  end
  if out.first and out.last and out.first > out.last then
    problem(site, { "timed", "first" }, "'timed.first' is %d, expected at " ..
            "most 'timed.last', which is %d", out.first, out.last)
  end
  return out
end

return M
