-- Which launches of a run are timed: `timed` of loom.run, --kernels, --first,
-- --last, --skip and --time.  The others are executed at once (host/queue.lua),
-- take no simulated time and are in no statistic.
--
-- A choice is { kernels = names, first =, last =, skip =, time = } or a part of
-- it.  first and last are numbers of launches, from 0; skip and time count
-- those only that the others leave.

local import = ...
local core = import "core"
local session = import "script/session"
local suggest = import "base/suggest"

local M = {}
local methods = {}
local meta = { __index = methods }

M.fields = { "kernels", "first", "last", "skip", "time" }

-- The names in "a*,b".
function M.names(text)
  local names = {}
  for name in text:gmatch("[^,]+") do names[#names + 1] = name end
  return names
end

-- The options that say so, for a command line; a choice as text.
function M.words(choice)
  local words = {}
  for _, name in ipairs(M.fields) do
    local value = choice and choice[name]
    if type(value) == "table" then value = table.concat(value, ",") end
    if value then words[#words + 1] = ("--%s=%s"):format(name, value) end
  end
  return words
end

-- Has a name what no kernel's has?  Then it is a regular expression.
local function is_regex(name) return name:find("[^%w_$*]") end

-- What is wrong with a name that is asked for, or nil.
function M.wrong(name)
  if type(name) ~= "string" or name == "" then
    return "expected a kernel's name, in which * is anything, or a regular " ..
           "expression"
  elseif is_regex(name) and (#name > 255 or name:find("[{}\\]")) then
    return "expected a regular expression of at most 255 characters and " ..
           "without { } \\"
  elseif is_regex(name) then
    local found, why = core.regex(name, "")
    return found == nil and "expected a regular expression: " .. why or nil
  end
end

-- Names in which * is anything, and regular expressions, for named().
function M.patterns(names)
  local patterns = {}
  for i, name in ipairs(names) do
    local text = "^" .. name:gsub("%$", "%%$"):gsub("%*", ".*") .. "$"
    patterns[i] = { name = name, text = text, regex = is_regex(name) }
  end
  return patterns
end

-- Is a kernel one of those?  Of C++ the mangled name, with or without _Z and
-- its number; a regular expression may be anywhere in it.  Patterns remember
-- that they were `used`.
function M.named(patterns, name)
  local plain = name:match("^_Z%d+(.*)$") or name
  local found = false
  for _, pattern in ipairs(patterns) do
    local function has(text)
      if pattern.regex then return core.regex(pattern.name, text) end
      return text:find(pattern.text)
    end
    if has(name) or has(plain) then pattern.used, found = true, true end
  end
  return found
end

-- Nothing where all launches are timed, or none.
function M.new(run)
  local choice = run.spec.timed
  if run.functional or not choice or not next(choice) then return nil end
  local patterns = choice.kernels and M.patterns(choice.kernels)
  return setmetatable({ choice = choice, text = table.concat(M.words(choice),
                        " "), patterns = patterns, names = {},
                        first = choice.first or 0,
                        last = choice.last or math.maxinteger,
                        skip = choice.skip or 0, chosen = 0,
                        time = choice.time or math.maxinteger,
                        all = 0, count = 0 }, meta)
end

-- Whether the next launch is timed.
function methods:wants(launch)
  local number = launch.number
  local named = not self.patterns or M.named(self.patterns, launch.name)
  self.all = self.all + 1
  if not self.names[launch.name] then
    self.names[launch.name] = true
    table.insert(self.names, launch.name)
  end
  if named then
    self.lowest, self.highest = self.lowest or number, number
  end
  if not named or number < self.first or number > self.last then
    return false
  end
  self.chosen = self.chosen + 1
  if self.chosen <= self.skip or self.count == self.time then return false end
  self.count = self.count + 1
  return true
end

-- How the script or the command line says it, and where.
local function said(self, run, key)
  if self.choice == session.timed then return "--" .. key, run.site end
  return ("'timed.%s'"):format(key),
         session.field(run.site, "run", "timed", key)
end

-- What is wrong where no launch was timed: key of the choice, and text.
local function mistake(self)
  if not self.lowest then
    local names = table.concat(self.choice.kernels, ",")
    return "kernels", ("is \"%s\", which no kernel is called%s"):format(names,
      suggest.hint((names:gsub("%*", "")), self.names))
  elseif self.first > self.highest then
    return "first", ("is %d, expected at most %d"):format(self.first,
                                                         self.highest)
  elseif self.last < self.lowest then
    return "last", ("is %d, expected at least %d"):format(self.last,
                                                          self.lowest)
  elseif self.chosen > 0 then
    return "skip", ("is %d, expected at most %d"):format(self.skip,
                                                         self.chosen - 1)
  end
  return "first", ("and 'last' are %d and %d, between which no such kernel " ..
                   "is launched"):format(self.first, self.last)
end

-- No launch follows: a run of which nothing was timed has failed.
function methods:finish(run)
  if self.all > 0 and self.count == 0 then
    local key, text = mistake(self)
    local subject, site = said(self, run, key)
    site = session.refine(site)
    session.stop("workload", ("%s:%d: run: none of %d launches is timed: " ..
      "%s %s"):format(site.file, site.line, self.all, subject, text))
  end
  for _, pattern in ipairs(self.patterns or {}) do
    if not pattern.used then
      local subject, site = said(self, run, "kernels")
      session.warn("run", ("%s has \"%s\", which no kernel is called%s")
        :format(subject, pattern.name,
                suggest.hint(pattern.name:gsub("%*", ""), self.names)), site)
    end
  end
end

return M
