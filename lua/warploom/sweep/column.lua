-- Columns: a number (or text) for each point of some axes, and what can be
-- asked of them.  `derive` functions of an experiment work on these.
--
-- A point that failed has NaN; a point that the filter left out is not there.
-- What is made from NaN is NaN: a mean over the points that happened to end
-- is no mean.

local M = {}
local methods = {}
local meta = { __index = methods, __name = "column" }

-- column: axes = list of axes (experiment.lua), rows = list of { names =
-- { axis = value name }, value =, error = its standard error, nil if it is
-- exact }, in the order of the points.  Errors of what is made of several
-- values are those of independent ones.  For figures:
-- baseline = what it is relative to, averaged = the last mean taken of it.
local function new(axes, unit, doc)
  return setmetatable({ axes = axes, rows = {}, by_key = {}, unit = unit or "1",
                        doc = doc or "" }, meta)
end

local function key_of(axes, names)
  local parts = {}
  for i, axis in ipairs(axes) do parts[i] = names[axis.name] end
  return table.concat(parts, ",")
end

local function put(column, names, value, err)
  local key = key_of(column.axes, names)
  if column.by_key[key] then return column.by_key[key] end
  local own = {}
  for _, axis in ipairs(column.axes) do own[axis.name] = names[axis.name] end
  local row = { names = own, value = value, error = err }
  column.rows[#column.rows + 1] = row
  column.by_key[key] = row
  return row
end

function M.from_points(axes, points, value_of, unit, doc)
  local column = new(axes, unit, doc)
  for _, point in ipairs(points) do
    put(column, point.names, value_of(point))
  end
  return column
end

local function has(column, name)
  for i, axis in ipairs(column.axes) do
    if axis.name == name then return i end
  end
end

local function need_axis(column, name)
  local at = has(column, name)
  if at then return at end
  local names = {}
  for i, axis in ipairs(column.axes) do names[i] = axis.name end
  error(("there is no axis '%s' here; there is %s"):format(tostring(name),
        #names > 0 and table.concat(names, ", ") or "none"), 3)
end

local function without(column, removed)
  local axes = {}
  for _, axis in ipairs(column.axes) do
    if not removed[axis.name] then axes[#axes + 1] = axis end
  end
  return axes
end

-- Rows that agree in all axes but `name`, as lists in order.
local function groups(column, name)
  local out = new(without(column, { [name] = true }), column.unit, column.doc)
  out.baseline = column.baseline
  local lists = {}
  for _, row in ipairs(column.rows) do
    local made = put(out, row.names, false)
    lists[made] = lists[made] or {}
    table.insert(lists[made], row)
  end
  return out, lists
end

local function reduce(column, name, rule)
  local out, lists = groups(column, name)
  for _, row in ipairs(out.rows) do
    local values = {}
    for i, one in ipairs(lists[row]) do values[i] = one.value end
    row.value, row.error = rule(values, lists[row])
  end
  return out
end

------------------------------------------------------------------------------
-- Means

local function any_nan(values)
  for _, v in ipairs(values) do if v ~= v then return true end end
  return #values == 0
end

local function arithmetic(values)
  local sum = 0.0
  for _, v in ipairs(values) do sum = sum + v end
  return sum / #values
end

local function harmonic(values)
  local sum = 0.0
  for _, v in ipairs(values) do sum = sum + 1 / v end
  return #values / sum
end

-- v = fraction * 2^exponent with 1 <= fraction < 2, exactly.
local function split(v)
  local exponent = 0
  while v >= 2 do v, exponent = v / 2, exponent + 1 end
  while v < 1 do v, exponent = v * 2, exponent - 1 end
  return v, exponent
end

local function power(base, n)
  local result = 1.0
  for _ = 1, n do result = result * base end
  return result
end

-- x^(1/n) for 1 <= x <= 2^n by Newton's method from above: additions,
-- products and quotients only, which every host rounds the same way, unlike
-- its logarithm.
local function root(x, n)
  local y = math.min(2.0, 1 + (x - 1) / n)
  while true do
    local next_y = ((n - 1) * y + x / power(y, n - 1)) / n
    if next_y >= y then return y end
    y = next_y
  end
end

local function geometric(values)
  local n, fraction, exponent = #values, 1.0, 0
  for _, v in ipairs(values) do
    if v <= 0 or v == math.huge then return 0 / 0 end
    local f, e = split(v)
    local g, more = split(fraction * f)
    fraction, exponent = g, exponent + e + more
  end
  local whole, rest = exponent // n, exponent % n
  local mean = root(fraction * power(2.0, rest), n)
  if whole >= 0 then return mean * power(2.0, whole) end
  return mean / power(2.0, -whole)
end

-- Standard error of a sum of values, each times its weight; nil if all of them
-- are exact.
local function sum_error(rows, weight)
  local sum
  for _, row in ipairs(rows) do
    if row.error then
      local part = row.error * weight(row.value)
      sum = (sum or 0.0) + part * part
    end
  end
  return sum and math.sqrt(sum)
end

-- By how much a mean of n values changes with one of them.
local slopes = {
  arithmetic = function(_, n) return function() return 1 / n end end,
  geometric = function(mean, n)
    return function(v) return mean / (n * v) end
  end,
  harmonic = function(mean, n)
    return function(v) return mean * mean / (n * v * v) end
  end,
}

local means = { arithmetic = arithmetic, geometric = geometric,
                harmonic = harmonic }

-- c:mean("bench", "geometric")
function methods:mean(name, kind)
  need_axis(self, name)
  local rule = means[kind or "arithmetic"]
  if not rule then
    error(("mean is '%s', expected arithmetic, geometric or harmonic"):format(
          tostring(kind)), 2)
  end
  kind = kind or "arithmetic"
  self.averaged = name .. " " .. kind
  return reduce(self, name, function(values, rows)
    if any_nan(values) then return 0 / 0 end
    local mean = rule(values)
    return mean, sum_error(rows, slopes[kind](mean, #values))
  end)
end

------------------------------------------------------------------------------
-- Selecting

local function better(kind, level)
  if kind == nil or kind == "max" then
    return function(a, b) return a > b end
  elseif kind == "min" then
    return function(a, b) return a < b end
  end
  error(("'%s': expected \"max\" or \"min\""):format(tostring(kind)), level + 1)
end

local function best_row(rows, is_better)
  local best
  for _, row in ipairs(rows) do
    if row.value == row.value and
       (not best or is_better(row.value, best.value)) then
      best = row
    end
  end
  return best
end

-- The largest (or "min": smallest) value along an axis.
function methods:best(name, kind)
  need_axis(self, name)
  local is_better = better(kind, 2)
  return reduce(self, name, function(_, rows)
    local best = best_row(rows, is_better)
    if not best then return 0 / 0 end
    return best.value, best.error
  end)
end

-- The name of where that is.
function methods:which(name, kind)
  need_axis(self, name)
  local is_better = better(kind, 2)
  local out = reduce(self, name, function(_, rows)
    local best = best_row(rows, is_better)
    return best and best.names[name] or ""
  end)
  out.text, out.unit, out.baseline = true, "1", nil
  return out
end

-- Its value where another column is best along an axis.
function methods:at_best(other, name, kind)
  need_axis(self, name)
  local where, out = other:which(name, kind), other:best(name, kind)
  for _, row in ipairs(out.rows) do
    local at = {}
    for _, axis in ipairs(self.axes) do at[axis.name] = row.names[axis.name] end
    at[name] = where.by_key[key_of(out.axes, row.names)].value
    local found = self.by_key[key_of(self.axes, at)]
    row.value = found and found.value or 0 / 0
    row.error = found and found.error
  end
  out.unit, out.doc, out.baseline = self.unit, self.doc, self.baseline
  return out
end

function methods:max(name) return self:best(name, "max") end
function methods:min(name) return self:best(name, "min") end

-- Sample standard deviation along an axis, such as seeds.
function methods:deviation(name)
  need_axis(self, name)
  local out = reduce(self, name, function(values)
    if any_nan(values) or #values < 2 then return 0 / 0 end
    local mean, sum = arithmetic(values), 0.0
    for _, v in ipairs(values) do sum = sum + (v - mean) * (v - mean) end
    return math.sqrt(sum / (#values - 1))
  end)
  out.baseline = nil
  return out
end

-- (largest - smallest) / mean along an axis.
function methods:spread(name)
  need_axis(self, name)
  return (self:max(name) - self:min(name)) / self:mean(name)
end

-- c:at { sched = "lrr" }: the part there, without those axes.
function methods:at(where)
  local removed = {}
  for name, value in next, where do
    local axis = self.axes[need_axis(self, name)]
    removed[name] = tostring(value)
    if axis.value[tostring(value)] == nil then
      error(("axis '%s' has no value '%s'"):format(name, tostring(value)), 2)
    end
  end
  local out = new(without(self, removed), self.unit, self.doc)
  out.baseline = self.baseline
  for _, row in ipairs(self.rows) do
    local inside = true
    for name, value in next, removed do
      inside = inside and row.names[name] == value
    end
    if inside then put(out, row.names, row.value, row.error) end
  end
  return out
end

-- Divided by its value at the baseline; "inverse": the baseline divided by it,
-- which makes a speedup of cycles.
function methods:normalise(where, kind)
  local base = self:at(where)
  local out
  if kind == "inverse" then
    out = base / self
  elseif kind == nil then
    out = self / base
  else
    error(("'%s': expected nothing or \"inverse\""):format(tostring(kind)), 2)
  end
  for _, row in ipairs(out.rows) do -- the baseline is 1, however it is known
    local is_base = true
    for name, value in next, where do
      is_base = is_base and row.names[name] == tostring(value)
    end
    if is_base then row.error = nil end
  end
  local parts = {}
  for _, axis in ipairs(self.axes) do
    if where[axis.name] ~= nil then
      parts[#parts + 1] = axis.name .. "=" .. tostring(where[axis.name])
    end
  end
  out.unit, out.doc, out.baseline = "1", "", table.concat(parts, ",")
  return out
end

-- c:where { bench = { "atax", "bfs" } }: some values of an axis.
function methods:where(some)
  local out = new(self.axes, self.unit, self.doc)
  out.baseline = self.baseline
  local keep = {}
  for name, list in next, some do
    need_axis(self, name)
    keep[name] = {}
    if getmetatable(list) and type(list) == "table" then
      error(("axis '%s': got %s, expected values of it"):format(name,
            tostring(list)), 2)
    end
    for _, value in ipairs(type(list) == "table" and list or { list }) do
      keep[name][tostring(value)] = true
    end
  end
  for _, row in ipairs(self.rows) do
    local inside = true
    for name, set in next, keep do inside = inside and set[row.names[name]] end
    if inside then put(out, row.names, row.value, row.error) end
  end
  return out
end

-- c:map(function(x, names) .. end): names[axis] is where x is.  The function
-- is asked again one standard error higher and lower.
function methods:map(rule)
  local out = new(self.axes)
  for _, row in ipairs(self.rows) do
    local names = {}
    for _, axis in ipairs(self.axes) do
      names[axis.name] = row.names[axis.name]
    end
    local value, err = rule(row.value, names) or 0 / 0, nil
    if row.error then
      local high = rule(row.value + row.error, names)
      local low = rule(row.value - row.error, names)
      err = type(high) == "number" and type(low) == "number" and
            math.abs(high - low) / 2 or nil
    end
    put(out, row.names, value, err)
  end
  return out
end

local function only_row(self, where)
  local part = self:at(where or {})
  if #part.rows ~= 1 then
    error(("there are %d values, expected one; name a value of every axis")
          :format(#part.rows), 3)
  end
  return part.rows[1]
end

-- The value at a point, or the only one: c:value { bench = "atax" }.
function methods:value(where) return only_row(self, where).value end

-- Its standard error, 0 if it is exact.
function methods:error(where) return only_row(self, where).error or 0.0 end

------------------------------------------------------------------------------
-- Arithmetic: a column with fewer axes stands for all values of the others.

local function wider(a, b)
  local more, less = a, b
  if #b.axes > #a.axes then more, less = b, a end
  for _, axis in ipairs(less.axes) do
    if not has(more, axis.name) then
      error(("columns do not fit: one has axis '%s', the other has not, and " ..
             "has others"):format(axis.name), 4)
    end
  end
  return more
end

-- `slope(x, y)`: by how much the result changes with each.
local function error_of(slope, x, y)
  if not x.error and not y.error then return nil end
  local dx, dy = slope(x.value, y.value)
  dx, dy = dx * (x.error or 0.0), dy * (y.error or 0.0)
  return math.sqrt(dx * dx + dy * dy)
end

local function combine(a, b, operator)
  local rule, slope = operator[1], operator[2]
  local left, right = getmetatable(a) == meta, getmetatable(b) == meta
  if left and right then
    local out = new(wider(a, b).axes)
    for _, row in ipairs(wider(a, b).rows) do
      local x = a.by_key[key_of(a.axes, row.names)]
      local y = b.by_key[key_of(b.axes, row.names)]
      if x and y then
        put(out, row.names, rule(x.value, y.value), error_of(slope, x, y))
      else
        put(out, row.names, 0 / 0)
      end
    end
    return out
  end
  local column = left and a or b
  if type(left and b or a) ~= "number" then
    error("a column can be combined with a column or a number", 3)
  end
  local out = new(column.axes)
  for _, row in ipairs(column.rows) do
    local x = left and row or { value = a }
    local y = left and { value = b } or row
    put(out, row.names, rule(x.value, y.value), error_of(slope, x, y))
  end
  return out
end

local operators = {
  __add = { function(x, y) return x + y end, function() return 1, 1 end },
  __sub = { function(x, y) return x - y end, function() return 1, 1 end },
  __mul = { function(x, y) return x * y end,
            function(x, y) return y, x end },
  __div = { function(x, y) return x / y end,
            function(x, y) return 1 / y, x / y / y end },
}
for name, operator in next, operators do
  meta[name] = function(a, b) return combine(a, b, operator) end
end
function meta.__unm(a) return combine(0, a, operators.__sub) end

function M.is(value) return getmetatable(value) == meta end
M.new, M.put = new, put
M.geometric = geometric

return M
