-- Binding policies: each facet of an attached policy goes to the one slot in
-- the target's island that asks its questions.
--
-- The island of a component is the SM that it is part of, with all of that
-- SM; outside SMs it is the component and what is below it.  If several
-- slots of the island ask, the target's own wins.

local import = ...
local session = import "script/session"
local record = import "machine/record"
local types = import "machine/types"
local order = import "base/order"

local M = {}

local function island(target)
  local r = target
  while r do
    if record.known(r).type.name == "sm" then return r end
    r = record.known(r).parent
  end
  return target
end

-- Slots at and below `from` that ask `hook`; `known` has what was found
-- before.
local function askers(known, from, hook)
  local of = known[from] or {}
  known[from] = of
  if of[hook] then return of[hook] end
  local found = {}
  record.walk(from, function(r)
    for _, slot in ipairs(record.known(r).type.slots) do
      if slot.hook == hook then
        found[#found + 1] = { record = r, slot = slot }
      end
    end
  end)
  of[hook] = found
  return found
end

local function names(list)
  local out = {}
  for i, c in ipairs(list) do
    out[i] = ("%s.%s"):format(record.path(c.record), c.slot.name)
  end
  return table.concat(out, ", ")
end

local function where_asked(hook)
  local out = {}
  for _, type in ipairs(types.component_list) do
    for _, slot in ipairs(type.slots) do
      if slot.hook == hook then
        out[#out + 1] = ("%s.%s"):format(type.name, slot.name)
      end
    end
  end
  table.sort(out)
  return table.concat(out, ", ")
end

local function choose(state, target, entry, facet)
  local d = record.known(target)
  local own = entry.slot and d.type.slot[entry.slot]
  if own and own.hook == facet.hook then
    return { record = target, slot = own }
  end
  local base = island(target)
  local found = askers(state.askers, base, facet.hook)
  if #found > 1 then
    local at_target = {}
    for _, c in ipairs(found) do
      if c.record == target then at_target[#at_target + 1] = c end
    end
    if #at_target == 1 then return at_target[1] end
  end
  if #found == 1 then return found[1] end
  local policy = record.known(entry.policy).type.name
  local text
  if #found > 1 then
    text = ("policy '%s' answers '%s', which several slots ask: %s; attach " ..
            "it to one of them"):format(policy, facet.hook, names(found))
  else
    local elsewhere = where_asked(facet.hook)
    text = ("policy '%s' answers '%s', which no slot of %s asks%s"):format(
      policy, facet.hook, record.path(base),
      elsewhere ~= "" and "; these do: " .. elsewhere or "")
  end
  session.problem(target, text, entry.site)
end

-- What a slot holds so far; nil: nothing.
local function held_by(state, r, slot)
  local of = state.slots[r]
  return of and of[slot.name]
end

-- Puts a policy into a slot's list.  What a preset put there gives way to
-- what the user puts there.
local function put(state, c, entry)
  local held = held_by(state, c.record, c.slot)
  if not held then
    held = { entry, record = c.record, slot = c.slot }
    local of = state.slots[c.record]
    if not of then
      of = {}
      state.slots[c.record] = of
    end
    of[c.slot.name] = held
    state.held[#state.held + 1] = held
    return
  end
  local rank = record.ranks[entry.origin]
  if not c.slot.chain and held[1] then
    local old = held[1]
    if record.ranks[old.origin] < rank then
      held[1] = nil
    else
      session.problem(c.record, ("slot '%s' already holds '%s' (line %d) " ..
        "and takes one policy; '%s' cannot be chained with it"):format(
        c.slot.name, record.known(old.policy).type.name, old.site.line,
        record.known(entry.policy).type.name), entry.site)
      return
    end
  end
  for _, other in ipairs(held) do
    if other.policy == entry.policy then return end
  end
  held[#held + 1] = entry
end

local function entries_of(root)
  local list = {}
  record.walk(root, function(r)
    for _, entry in ipairs(record.known(r).attached) do
      list[#list + 1] = { target = r, entry = entry }
    end
  end)
  return order.by(list, function(item) return item.entry.sequence end)
end

local function fill_defaults(root, state)
  record.walk(root, function(r)
    for _, slot in ipairs(record.known(r).type.slots) do
      local held = slot.default and held_by(state, r, slot)
      if slot.default and not (held and held[1]) then
        local policies = record.slot_policies(r, slot)
        if policies[1] then
          put(state, { record = r, slot = slot },
              { policy = policies[1], origin = "default",
                site = record.known(r).site })
        else
          session.problem(r, ("the default policy '%s' of slot '%s' is not " ..
            "in this build"):format(slot.default, slot.name),
            record.known(r).site)
        end
      end
    end
  end)
end

-- The first facet says where a policy lives: the component that asks it hosts
-- the policy, wakes it and gives it its name, whatever else is attached.
local function settle(made, used)
  local policy, attach = record.known(made.policy), nil
  for _, facet in ipairs(policy.type.facets) do
    for i = 1, #made.held do
      local held = made.held[i]
      if held.slot.hook == facet.hook then
        local to = { component = record.path(held.record),
                     slot = held.slot.name }
        if attach then
          attach[#attach + 1] = to
        else
          attach = { to }
          policy.host = held.record
        end
      end
    end
  end
  local path = attach[1].component .. ".policy." ..
               (policy.name or policy.type.name)
  used[path] = (used[path] or 0) + 1
  made.path = used[path] > 1 and path .. used[path] or path
  made.attach = attach
end

-- Returns the policies in use: { policy =, path =, attach = { { component =,
-- slot = } .. } }.
function M.resolve(root)
  local state = { slots = {}, held = {}, askers = {} }
  for _, item in ipairs(entries_of(root)) do
    local type = record.known(item.entry.policy).type
    for _, facet in ipairs(type.facets) do
      local c = choose(state, item.target, item.entry, facet)
      if c then put(state, c, item.entry) end
    end
  end
  fill_defaults(root, state)
  local list, index, used = {}, {}, {}
  for _, held in ipairs(state.held) do
    for i = 1, #held do
      local entry = held[i]
      local made = index[entry.policy]
      if made then
        made.held[#made.held + 1] = held
      else
        made = { policy = entry.policy, held = { held }, attach = nil,
                 path = nil, sequence = entry.sequence or math.huge }
        index[entry.policy] = made
        list[#list + 1] = made
      end
    end
  end
  -- In the order of the script, which is that of every chain.
  order.by(list, function(made) return made.sequence end)
  for _, made in ipairs(list) do settle(made, used) end
  return list
end

return M
