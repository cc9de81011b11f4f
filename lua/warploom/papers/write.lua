-- What claims.lua files of papers share: require "warploom.claims".  How a
-- claim looks is in papers/claims.lua.

local M = {}

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
