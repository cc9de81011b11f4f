-- A machine that runs, between two marks of its statistics (stats/mark.h), seen
-- as results.lua sees a file of one run: for what explains a kernel.


local M = {}

local Live = {}
Live.__index = Live

-- Of a catalogue.
function M.new(catalog)
  local self = setmetatable({ path = "the run", attributes = {}, named = {},
                              classes = catalog:classes() }, Live)
  for number, class in ipairs(self.classes) do
    local prefix = class.group:gsub("/", ".") .. "."
    for i, stat in ipairs(class.stats) do
      local function add(name, part)
        self.named[name] = { number = number, name = stat.name, index = i,
                             part = part, item = stat }
      end
      if stat.kind == "histogram" then
        add(prefix .. stat.name .. "_count", "count")
        add(prefix .. stat.name .. "_sum", "sum")
      else
        add(prefix .. stat.name)
      end
    end
  end
  return self
end

-- What is read from here on: what happened from mark to mark.
function Live:between(older, newer)
  self.older, self.newer, self.lists = older, newer, {}
end

function Live:find(name) return self.named[name] end

function Live:groups_with(...)
  local out = {}
  for _, class in ipairs(self.classes) do
    local prefix, all = class.group:gsub("/", ".") .. ".", true
    for _, name in ipairs { ... } do
      all = all and self.named[prefix .. name] ~= nil
    end
    if all then out[#out + 1] = prefix end
  end
  return out
end

function Live:instances(stat) return self.classes[stat.number].paths end

-- Of all instances together.
function Live:value(stat)
  local list = self.lists[stat.number]
  if not list then
    list = self.newer:read(stat.number, nil, self.older)
    self.lists[stat.number] = list
  end
  return list[stat.index]
end

function Live:total(stat)
  local value, sum = self:value(stat), 0
  if type(value) ~= "table" then return value end
  if stat.part then return value[stat.part] end
  for _, one in next, value do sum = sum + one end
  return sum
end

-- Along an axis whose entries have names.
function Live:entries(stat)
  local value, out = self:value(stat), {}
  for i, key in ipairs(stat.item.keys or {}) do out[i] = value[key] end
  return out
end

function Live.axes(_, item) return { [3] = { labels = item.keys } } end
function Live.labels(_, axis) return axis.labels or {} end

function Live:each(stat)
  return self.newer:each(stat.number, stat.name, self.older)
end

-- What parts are set to is not asked of a machine that runs.
function Live.params() return {} end

-- One number for a page: of an axis the entries by name, or their sum; of a
-- histogram how many values, and their mean.
function M.plain(stat, value)
  if stat.kind == "histogram" then
    return { count = value.count, mean = value.count > 0 and
             value.sum / value.count or 0 / 0 }
  elseif type(value) ~= "table" then
    return value
  elseif stat.keys then
    return value
  end
  local sum = 0
  for _, one in next, value do sum = sum + one end
  return sum
end

return M
