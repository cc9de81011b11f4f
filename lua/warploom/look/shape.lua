-- What is done to figures once they have their values: normalised, with a mean,
-- with small parts folded, as shares, of several as one.

local import = ...
local results = import "look/results"
local suggest = import "base/suggest"

local M = {}

local means = {}

function means.arithmetic(values)
  local sum = 0
  for _, v in ipairs(values) do sum = sum + v end
  return sum / #values
end

function means.geometric(values)
  local sum = 0
  for _, v in ipairs(values) do
    if v <= 0 then return nil end -- there is none
    sum = sum + math.log(v)
  end
  return math.exp(sum / #values)
end

function means.harmonic(values)
  local sum = 0
  for _, v in ipairs(values) do
    if v <= 0 then return nil end
    sum = sum + 1 / v
  end
  return #values / sum
end

local mean_names = { arithmetic = "mean", geometric = "gmean",
                     harmonic = "hmean" }

-- The sum of the parts of a bar that are there; NaN if none is.
local function whole(bar)
  local sum
  for _, v in ipairs(bar or {}) do
    if v == v then sum = (sum or 0) + v end
  end
  return sum or 0 / 0
end

-- Puts entry `at` first, of a list and of some others.
function M.first(list, at, others)
  table.insert(list, 1, table.remove(list, at))
  for _, other in ipairs(others or {}) do
    table.insert(other, 1, table.remove(other, at) or {})
  end
end

-- Divides the bars of each group by one of them, or all groups by one group;
-- that one stands first.
local function normalise(figure, base)
  local b, g
  for i, name in ipairs(figure.bars) do if name == base then b = i end end
  for i, name in ipairs(figure.groups) do if name == base then g = i end end
  if not b and not g then
    local names = table.move(figure.groups, 1, #figure.groups, 1, {})
    table.move(figure.bars, 1, #figure.bars, #names + 1, names)
    results.refuse("--normalise is '%s'%s", base, suggest.hint(base, names))
  end
  -- All divisors are taken before anything is divided.
  local by = {}
  for i, group in ipairs(figure.value) do
    by[i] = {}
    for k in ipairs(group) do
      by[i][k] = b and whole(group[b]) or whole(figure.value[g][k])
    end
  end
  for i, group in ipairs(figure.value) do
    for k, bar in ipairs(group) do
      for s, v in ipairs(bar) do
        bar[s] = by[i][k] ~= 0 and v / by[i][k] or 0 / 0
      end
    end
  end
  if b then M.first(figure.bars, b, figure.value) end
  if g then table.insert(figure.value, 1, table.remove(figure.value, g)) end
  if g then M.first(figure.groups, g) end
  figure.reference, figure.unit = 1, "1"
  figure.y = "relative to " .. base
  figure.errors = nil -- of quotients: column:normalise() of an experiment
end

-- The standard error of a mean of values of which some have errors.
local function mean_error(rule, values, errors)
  local sum
  for g, err in next, errors do
    local v = values[g]
    values[g] = v + err
    local high = rule(values)
    values[g] = v - err
    local low = rule(values)
    values[g] = v
    if not high or not low then return nil end
    sum = (sum or 0) + ((high - low) / 2) ^ 2
  end
  return sum and math.sqrt(sum)
end

-- A group at the right end with the mean of each bar over all groups.
local function add_mean(figure, kind)
  local rule = means[kind]
  if not rule then
    results.refuse("--mean is '%s'%s", kind, suggest.hint(kind,
                   { "arithmetic", "geometric", "harmonic" }))
  end
  local group, sure = {}, {}
  for b = 1, #figure.bars do
    group[b] = {}
    local errors = {}
    for s = 1, #figure.segments do
      local values = {}
      for g = 1, #figure.groups do
        values[g] = figure.value[g][b] and figure.value[g][b][s] or 0 / 0
      end
      group[b][s] = rule(values) or 0 / 0 -- NaN if any is
      for g, list in next, s == 1 and figure.errors or {} do
        errors[g] = list[b]
      end
      sure[b] = sure[b] or mean_error(rule, values, errors)
    end
  end
  figure.groups[#figure.groups + 1] = mean_names[kind]
  figure.value[#figure.value + 1] = group
  if figure.errors then figure.errors[#figure.value] = sure end
  figure.mean_at = #figure.groups
end

-- Entries that are zero everywhere are left out.
local function drop_empty(figure)
  local keep = {}
  for s = 1, #figure.segments do
    for g = 1, #figure.groups do
      for b = 1, #figure.bars do
        local v = figure.value[g][b] and figure.value[g][b][s]
        if v and v == v and v ~= 0 then keep[s] = true end
      end
    end
  end
  local segments, colours = {}, {}
  for s, name in ipairs(figure.segments) do
    if keep[s] then
      segments[#segments + 1] = name
      colours[#segments] = s
    end
  end
  -- So that "misses" has one colour in all figures of a page.
  if #figure.segments <= 8 then figure.colours = colours end
  for _, group in ipairs(figure.value) do
    for b, bar in ipairs(group) do
      local out = {}
      for s = 1, #figure.segments do
        if keep[s] then out[#out + 1] = bar[s] or 0 end
      end
      group[b] = out
    end
  end
  figure.segments = #segments > 0 and segments or { "" }
end

-- More entries than colours: those below a hundredth everywhere become one.
local function fold_small(figure)
  if #figure.segments <= 8 then return end
  local large = {}
  for _, group in ipairs(figure.value) do
    for _, bar in ipairs(group) do
      local sum = whole(bar)
      for s, v in ipairs(bar) do
        if v > sum * 0.01 then large[s] = true end
      end
    end
  end
  local segments, rest = {}, {}
  for s, name in ipairs(figure.segments) do
    table.insert(large[s] and segments or rest, name)
  end
  if #rest < 2 then return end
  segments[#segments + 1] = #rest > 3 and ("%d others"):format(#rest) or
                            table.concat(rest, ", ")
  for _, group in ipairs(figure.value) do
    for b, bar in ipairs(group) do
      local out, other = {}, 0
      for s, v in ipairs(bar) do
        if large[s] then
          out[#out + 1] = v
        elseif v == v then
          other = other + v
        end
      end
      out[#out + 1] = other
      group[b] = out
    end
  end
  figure.segments, figure.folded = segments, #segments
end

-- More entries than strong colours: those of a page get them in the order in
-- which they first appear; what is folded is pale grey.
local function keep_colours(figure, names, page)
  if #names <= 8 then return end
  local key = table.concat(names, " ")
  local known = page[key] or { count = 0 }
  page[key], figure.colours = known, {}
  for s, name in ipairs(figure.segments) do
    if s ~= figure.folded and not known[name] then
      known.count = known.count + 1
      known[name] = known.count
    end
    figure.colours[s] = s == figure.folded and 16 or known[name]
  end
end

local function share(figure)
  for _, group in ipairs(figure.value) do
    for _, bar in ipairs(group) do
      local sum = whole(bar)
      for s, v in ipairs(bar) do bar[s] = sum > 0 and v / sum or 0 / 0 end
    end
  end
  figure.unit, figure.y, figure.y_max = "1", "share", 1
end

-- What is left out, put together and divided by the whole, of stacked bars.
local function settle(figure, request)
  figure.title = request.title or figure.title
  if request.page then -- a caption says what it is
    figure.title, figure.note = request.title, nil
  end
  figure.page, figure.hatch = request.page, request.hatch
  if figure.kind == "bars" and #figure.segments > 1 then
    if request.log then
      results.refuse("--log: parts do not add up on a logarithmic axis")
    end
    local names = figure.segments
    drop_empty(figure)
    fold_small(figure)
    keep_colours(figure, names, request.colours or {})
    if request.share then share(figure) end
  end
  figure.log = request.log
  figure.y_max = request.y_max or figure.y_max
  figure.width, figure.height = request.width, request.height
end

local function relate(figure, request)
  if request.normalise then normalise(figure, request.normalise) end
  if request.mean and request.mean ~= "none" then
    add_mean(figure, request.mean)
  end
  return figure
end

local function finish(figure, request)
  if request.raw then return figure end -- a part of facets
  settle(figure, request)
  return relate(figure, request)
end
M.finish = finish

------------------------------------------------------------------------------
-- Facets

-- Bars of all figures as those of one, so that they have the same segments
-- and colours.
local function settle_bars(list, request)
  local all = setmetatable({ groups = {}, value = {} }, { __index = list[1] })
  for _, figure in ipairs(list) do
    table.move(figure.groups, 1, #figure.groups, #all.groups + 1, all.groups)
    table.move(figure.value, 1, #figure.value, #all.value + 1, all.value)
  end
  settle(all, request)
  local at = 1
  for _, figure in ipairs(list) do
    local n = #figure.groups
    figure.value = table.move(all.value, at, at + n - 1, 1, {})
    at = at + n
    for _, key in ipairs { "segments", "colours", "unit", "y", "y_max", "log",
                           "hatch" } do
      figure[key] = all[key]
    end
  end
end

-- Each figure has a line of every name, if an empty one.
local function same_lines(list)
  local names, seen = {}, {}
  for _, figure in ipairs(list) do
    for _, line in ipairs(figure.lines) do
      if not seen[line.name] then
        seen[line.name] = true
        names[#names + 1] = line.name
      end
    end
  end
  for _, figure in ipairs(list) do
    local own, lines = {}, {}
    for _, line in ipairs(figure.lines) do own[line.name] = line end
    for i, name in ipairs(names) do
      lines[i] = own[name] or { name = name, x = {}, y = {} }
    end
    figure.lines = lines
  end
end

-- Small figures of one kind, each with its label.
function M.facets(labels, list, request)
  local n = #list
  local most = request.page == "page" and 4 or request.page and 2 or
               n == 4 and 2 or 3
  local out = { kind = "facets", figures = list, columns = math.min(n, most),
                legend = list[1].legend, hatch = request.hatch,
                page = request.page, width = request.width,
                height = request.height, note = list[1].note,
                title = request.title or list[1].title }
  if request.page then out.title, out.note = request.title, nil end
  if list[1].kind == "bars" then
    settle_bars(list, request)
  else
    for _, figure in ipairs(list) do settle(figure, request) end
    if list[1].kind == "lines" then same_lines(list) end
  end
  for i, figure in ipairs(list) do
    figure.title, figure.width, figure.height = labels[i], nil, nil
    relate(figure, request)
  end
  return out
end

return M
