-- Many at once: `gpu:each "sm[*].l1d"`.
--
-- A pattern is names separated by dots; a list needs its index: [3], [0-7]
-- or [*].  `*` is any one child, `**` any number of levels, also none.

local import = ...
local session = import "script/session"
local suggest = import "base/suggest"
local record = import "machine/record"
local unit = import "base/unit"
local poison = import "base/poison"

local M = {}

local selection_methods = {}
local selection = { __name = "selection" }

local function split(pattern)
  local parts = {}
  for part in pattern:gmatch("[^%.]+") do
    local name, index = part:match("^([%w_%*]+)%[([^%]]*)%]$")
    parts[#parts + 1] = { name = name or part, index = index }
  end
  return parts
end

local function in_range(index, i)
  if index == "*" then return true end
  local low, high = index:match("^(%d+)%-(%d+)$")
  if low then return i >= tonumber(low) and i <= tonumber(high) end
  return i == tonumber(index)
end

local function valid_index(index)
  return index == "*" or index:find("^%d+$") or index:find("^%d+%-%d+$")
end

local find -- forward

-- Children of `from` that a part of a pattern names, as a flat list.
local function step(state, from, part)
  local d = record.data(from)
  local out = {}
  for _, name in ipairs(d.child_names) do
    if part.name == "*" or part.name == name then
      local child = d.children[name]
      if not record.is_list(child) then
        if part.index == nil then
          out[#out + 1] = child
        else
          state.unindexed = ("'%s' is one component; write it without an " ..
                             "index"):format(name)
        end
      elseif part.index == nil and part.name ~= "*" then
        state.unindexed = ("'%s' is a list of %d; write %s[*] or %s[0]"):format(
          name, #child, name, name)
      else
        for i = 0, #child - 1 do
          if in_range(part.index or "*", i) then out[#out + 1] = child[i] end
        end
        if #out == 0 then
          state.unindexed = ("'%s' has 0..%d"):format(name, #child - 1)
        end
      end
    end
  end
  if #out == 0 then state.names = d.child_names state.missing = part.name end
  return out
end

local function descend(state, from, parts, at)
  find(state, from, parts, at + 1)
  for _, child in ipairs(step(state, from, { name = "*" })) do
    descend(state, child, parts, at)
  end
end

function find(state, from, parts, at)
  local part = parts[at]
  if not part then
    if not state.seen[from] then
      state.seen[from] = true
      state.out[#state.out + 1] = from
    end
  elseif part.name == "**" then
    descend(state, from, parts, at)
  else
    for _, child in ipairs(step(state, from, part)) do
      find(state, child, parts, at + 1)
    end
  end
end

function M.select(from, pattern, site)
  local made = setmetatable({ items = {}, pattern = pattern, at = 0 },
                            selection)
  if type(pattern) ~= "string" then
    session.problem(from, ("each got %s, expected a pattern such as \"sm[*]\"")
                    :format(unit.quote(pattern)), site)
    return made
  end
  local parts = split(pattern)
  for _, part in ipairs(parts) do
    if part.index and not valid_index(part.index) then
      session.problem(from, ("each \"%s\": the index is '%s', expected " ..
        "a number, a range such as 0-7, or *"):format(pattern, part.index),
        site)
      return made
    end
  end
  local state = { out = {}, seen = {} }
  find(state, from, parts, 1)
  made.items = state.out
  if #state.out == 0 then
    local why = state.unindexed or state.missing and
      ("there is no '%s'%s"):format(state.missing,
        suggest.hint(state.missing, state.names)) or "nothing matches"
    session.problem(from, ("each \"%s\" matches nothing: %s"):format(pattern,
                    why), site)
  end
  return made
end

-- `for sm, i in gpu:each "sm[*]" do`; i counts from 0.
function selection:__call()
  self.at = self.at + 1
  local item = self.items[self.at]
  if item then return item, self.at - 1 end
  self.at = 0
end

-- `gpu:each "sm[*]".fetch_width = 4`, as of one of them.
function selection:__newindex(key, value)
  for _, item in ipairs(self.items) do item[key] = value end
end

function selection:__index(key)
  if selection_methods[key] then return selection_methods[key] end
  session.problem(self, ("'%s' of all %d is not one thing; go on with " ..
    ":each \"%s\", or name one"):format(tostring(key), #self.items,
    tostring(key)))
  return poison
end

function selection:__len() return #self.items end
function selection:__tostring()
  return ("each \"%s\" (%d)"):format(self.pattern, #self.items)
end

function selection_methods:attach(policy, slot)
  for _, item in ipairs(self.items) do
    record.methods.attach(item, policy, slot)
  end
  return self
end

function selection_methods:set(fields)
  local site = session.site()
  if type(fields) ~= "table" then
    session.problem(self, ("set got %s, expected a table"):format(
                    unit.quote(fields)), site)
    return self
  end
  for _, item in ipairs(self.items) do
    record.apply(item, fields, site, "set")
  end
  return self
end

-- Narrows or descends: `gpu:each "sm[*]":each "l1d"`.
function selection_methods:each(pattern)
  local site = session.site()
  local made = setmetatable({ items = {}, pattern = pattern, at = 0 },
                            selection)
  for _, item in ipairs(self.items) do
    local part = M.select(item, pattern, site)
    table.move(part.items, 1, #part.items, #made.items + 1, made.items)
  end
  return made
end

function record.methods.each(from, pattern)
  return M.select(from, pattern, session.site())
end

return M
