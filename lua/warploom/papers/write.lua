-- What claims.lua files of papers share: require "warploom.claims".  How a
-- claim looks is in papers/claims.lua.

local import = ...

local M = {}

-- Metrics that say whether a point can carry a claim: for every figure.
M.admission = import "papers/admission".metrics

-- What points keep of statistics: no figure asks for those after each kernel,
-- of which some programs have 20,000.
M.stats = { snapshot = "end" }

-- Of how many of a list something is true, and of how many: for `share`.
function M.count(list, is)
  local right = 0
  for _, one in ipairs(list) do if is(one) then right = right + 1 end end
  return right, #list
end

-- Three makers of functions of a figure's columns t, for an axis that names
-- techniques: at(COLUMN, TECHNIQUE), and one(COLUMN, TECHNIQUE, BENCH) for
-- columns that also have an axis `bench`, give numbers; the(COLUMN, TECHNIQUE,
-- perhaps BENCH) gives the column's part, which knows its error.
function M.readers(axis)
  local function at(column, name)
    return function(t) return t[column]:value { [axis] = name } end
  end
  local function one(column, name, bench)
    return function(t)
      return t[column]:value { [axis] = name, bench = bench }
    end
  end
  local function the(column, name, bench)
    return function(t)
      return t[column]:at { [axis] = name, bench = bench }
    end
  end
  return at, one, the
end

-- Arithmetic mean of a column over benchmarks, the other axes as `where` says.
function M.mean(column, benches, where)
  local sum = 0
  local part = column:at(where or {})
  for _, bench in ipairs(benches) do
    sum = sum + part:value { bench = bench }
  end
  return sum / #benches
end

-- Texts say little of what a load fetches that gets no line, and it decides
-- much: 32 bytes are a quarter of what a baseline's misses fetch.  Declares the
-- option fetch_bytes; fetching(POLICY) makes policies that obey it unless their
-- parameters say otherwise.
function M.fetching(loom)
  local bytes = loom.option {
    name = "fetch_bytes", default = 32, choices = { 32, 64, 128 },
    doc = "What loads without a line fetch at least, with all techniques" }
  return function(policy)
    return function(parameters)
      local all = { fetch_bytes = bytes }
      for key, value in next, parameters do all[key] = value end
      return policy(all)
    end
  end
end

-- What a paper leaves open: `open` is a list of { parameter =, where =, says =
-- what it says of it, default =, readings = { FIELDS, .. } }, where FIELDS are
-- a policy's parameters.  Returns a list of { name = "threshold 4", fields = },
-- one for each reading.
function M.readings(open)
  local list = {}
  for _, one in ipairs(open) do
    for _, fields in ipairs(one.readings) do
      local keys, parts = {}, {}
      for key in next, fields do keys[#keys + 1] = key end
      table.sort(keys)
      for i, key in ipairs(keys) do
        parts[i] = key .. " " .. tostring(fields[key])
      end
      list[#list + 1] = { name = table.concat(parts, " and "),
                          fields = fields }
    end
  end
  return list
end

-- `range` of a headline: a column's value for each reading and for the
-- technique as it is, which the axis calls `default`.
function M.range(open, axis, default, column)
  return { figure = "range", numbers = function(t)
    local out = { { "default", t[column]:at { [axis] = default } } }
    for _, one in ipairs(M.readings(open)) do
      out[#out + 1] = { one.name, t[column]:at { [axis] = one.name } }
    end
    return out
  end }
end

-- A list of claims, and two functions that add to it: one takes a claim, the
-- other what a relative number (1.34 for 34 % more) needs, and why ours is
-- another, if that is known.  What is added last is returned.
function M.list()
  local list = {}
  local function claim(c)
    list[#list + 1] = c
    return c
  end
  local function relative(says, where, figure, paper, value, why)
    return claim { says = says, where = where, figure = figure, paper = paper,
            neutral = 1, effect = value, why = why }
  end
  return list, claim, relative
end

return M
