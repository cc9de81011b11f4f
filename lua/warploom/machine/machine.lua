-- From records to the one description that the engine builds from:
-- resolve, validate, freeze.

local import = ...
local core = import "core"
local access = import "script/access"
local session = import "script/session"
local record = import "machine/record"
local types = import "machine/types"
local unit = import "base/unit"
local wiring = import "machine/wiring"
local binding = import "machine/binding"
local locality = import "machine/locality"
local devices = import "machine/devices"
local fit = import "machine/fit"
local order = import "base/order"

local M = {}

-- The parameters of a record: values for the engine, and origins.  Copies that
-- were given nothing of their own share them.
local function parameters(r, out, path)
  local d = record.known(r)
  local same = out.same[d.params]
  if same and same.type == d.type and same.site == d.site then
    out.origins[path] = same.origin == d.origin and same or
                        { origin = d.origin, site = d.site,
                          params = same.params }
    return same.values
  end
  local values, origin = {}, {}
  local default = { origin = "default", site = d.site }
  for _, spec in ipairs(d.type.params) do
    local entry = d.params[spec.name]
    if entry then
      values[spec.name] = entry.value
      origin[spec.name] = entry
    elseif spec.required then
      if not d.broken then
        session.problem(r, ("parameter '%s' is not given, %s"):format(
          spec.name, unit.expectation(spec)), d.site)
      end
      d.incomplete = true
    else
      origin[spec.name] = default
    end
  end
  same = { origin = d.origin, site = d.site, params = origin, type = d.type,
           values = values }
  out.origins[path] = same
  if not d.incomplete then out.same[d.params] = same end
  return values
end

-- What the type's own C code says of relations between parameters.
local function cross_check(r, out, values)
  local d = record.known(r)
  if d.broken or d.incomplete then return end
  local problems = out.checked[values] or
                   core.validate(d.kind, d.type.name, values)
  out.checked[values] = problems
  for _, problem in ipairs(problems) do
    local name = problem.param or problem.text:match("^parameter '([%w_]+)'")
    local entry = name and d.params[name]
    session.problem(r, problem.text, entry and entry.site or d.site)
  end
end

local function add_components(root, out)
  record.walk(root, function(r)
    local d = record.known(r)
    local path = record.path(r)
    local clock = record.clock(r)
    if not clock and not out.clockless then
      out.clockless = true
      session.problem(r, "there is no clock; give clock = \"700MHz\" here " ..
                      "or above", d.site)
    end
    local values = parameters(r, out, path)
    cross_check(r, out, values)
    table.insert(out.components, {
      path = path, type = d.type.name, params = values, record = r,
      hertz = clock and clock.value or 1 })
  end)
end

local function add_policies(root, out)
  for _, item in ipairs(binding.resolve(root)) do
    local d = record.known(item.policy)
    local values = parameters(item.policy, out, item.path)
    cross_check(item.policy, out, values)
    table.insert(out.policies, { path = item.path, type = d.type.name,
                                 params = values, attach = item.attach,
                                 record = item.policy })
  end
end

-- A run's own transforms are attached to the host for this run only.
local function with_transforms(root, transforms, work)
  if not transforms then return work() end
  if session.devices > 1 then
    session.problem("run", ("'transform' is for one GPU, and --devices says " ..
                    "%d"):format(session.devices), transforms.site)
    return work()
  end
  local host
  record.walk(root, function(r)
    if record.known(r).type.name == "host" then host = host or r end
  end)
  if not host then
    session.problem("run", "there is no host to attach 'transform' to",
                    transforms.site)
    return work()
  end
  local d = record.known(host)
  local before = table.move(d.attached, 1, #d.attached, 1, {})
  for _, policy in ipairs(transforms) do
    record.attach_to(host, policy, "transform", transforms.site)
  end
  work()
  d.attached = before
end

-- What a compiler and its run-time system know of the machine.
function M.facts(description)
  local facts = { sms = 0 }
  for _, c in ipairs(devices.parts(description, 0)) do
    if c.type == "sm" then
      facts.sms = facts.sms + 1
    elseif c.type == "gpu" then
      local function param(name)
        local value = c.params[name]
        for _, spec in ipairs(types.components.gpu.params) do
          if value == nil and spec.name == name then value = spec.default end
        end
        return value
      end
      facts.warps = param "sm_threads" // 32
      facts.registers = param "sm_registers"
      facts.shared = param "sm_shared_bytes"
      facts.ctas = param "sm_ctas"
      facts.scheduled = param "scheduled"
      for _, name in ipairs { "register_grain", "register_files",
                              "shared_grain", "shared_kept" } do
        facts[name] = param(name)
      end
    end
  end
  return facts.warps and facts
end

local function path_of(item) return item.path end

-- The description of a machine; problems go to the session.
function M.resolve(root, seed, transforms)
  local _ <close> = session.uncollected()
  local d = record.known(root)
  if d.parent then
    session.problem(root, "is part of another record; a machine is the " ..
                    "whole tree", d.site)
    return { seed = seed, components = {}, policies = {}, links = {},
             origins = {}, policy_order = {}, root = root }
  end
  d.root, d.used = true, true
  if locality.is_root(root) then
    locality.prepare(root)
  else
    locality.refuse(root)
  end
  repeat record.remember(true) until not wiring.adopt(root)
  if wiring.add_host(root, types) then record.remember(true) end
  local out = { seed = seed or session.seed, components = {}, policies = {},
                links = {}, origins = {}, root = root, same = {},
                checked = {} }
  local present = {}
  record.walk(root, function(r) present[r] = true end)
  add_components(root, out)
  with_transforms(root, transforms, function() add_policies(root, out) end)
  out.policy_order = table.move(out.policies, 1, #out.policies, 1, {})
  out.links = wiring.resolve(root, present)
  record.remember(false)
  out.same, out.checked = nil, nil
  order.by(out.components, path_of)
  order.by(out.policies, path_of)
  for _, c in ipairs(out.components) do
    if c.type == "host" then out.host = out.host or c.path end
  end
  if #session.problems == 0 then fit.check(out) end
  return out
end

-- All policies in Lua share one Lua state, so their machines have one thread.
-- The bits are the same for any number.  0: one, which is measured.
local function threads_for(description, watched)
  if session.threads <= 1 and not session.threads_report then return 1 end
  local instead = session.threads_report and "and no report of others" or
                  ("instead of %d"):format(session.threads)
  if watched then
    session.warn(nil, ("a timeline or a profile is made, so the machine " ..
      "has one thread %s"):format(instead))
    return 1
  end
  for _, p in ipairs(description.policies) do
    local lua = types.policies[p.type].lua
    if lua then
      session.warn(nil, ("policy '%s' is in Lua, so the machine has one " ..
        "thread %s"):format(p.type, instead), lua.site)
      return 1
    end
  end
  return session.threads_report and 0 or session.threads
end

-- Policies that write files say where in a parameter `file`.
local function check_files(description)
  for _, p in ipairs(description.policies) do
    local spec = types.policies[p.type].param.file
    if spec and spec.type == "string" then
      local path = p.params.file or spec.default
      local real, why = access.look(path)
      if path ~= "" and not real then
        session.problem(p.path, ("parameter 'file': '%s' cannot be used: %s")
          :format(path, why), record.known(p.record).site)
      end
    end
  end
  return #session.problems == 0
end

-- Builds the engine's machine.  Problems that only the engine sees (a
-- part's own init) are noted at the record's line.  `watched`: the description
-- with what watches the machine and is no part of it.  `places`: of a machine
-- that is saved, or goes on, where its memory may be (engine/image.h); which it
-- is comes second.
function M.build(description, watched, places)
  if not check_files(description) then return nil end
  local _ <close> = session.uncollected()
  local threads = threads_for(description, watched)
  local machine, problems
  for _, place in ipairs(places or { false }) do
    machine, problems = core.machine(watched or description, threads,
                                     session.shuffle, place or nil)
    if machine then return machine, place end
    if problems[1].path ~= "machine" then break end
  end
  local at = {}
  for _, list in ipairs { description.components, description.policies } do
    for _, item in ipairs(list) do at[item.path] = record.known(item.record) end
  end
  for _, problem in ipairs(problems) do
    local d = at[problem.path]
    if problem.kind == "memory" then
      session.stop_as("memory", ("%s: %s"):format(problem.path, problem.text))
    end
    session.problem(problem.path, problem.text, d and d.site or
                    record.known(description.root).site)
  end
end

-- The description as text: sorted, complete, one line per fact.  Equal
-- machines have equal texts, so its digest names the configuration.
function M.text(description)
  local lines = {}
  local function params(item, type)
    for _, spec in ipairs(type.params) do
      local value = item.params[spec.name]
      if value == nil then value = spec.default end
      lines[#lines + 1] = ("  %s = %s"):format(spec.name,
                                               unit.format(value, spec.unit))
    end
  end
  lines[1] = "seed " .. description.seed
  for _, c in ipairs(description.components) do
    lines[#lines + 1] = ("component %s %s %s"):format(
      c.path, c.type, unit.format(c.hertz, "Hz"))
    params(c, types.components[c.type])
  end
  for _, p in ipairs(description.policies) do
    lines[#lines + 1] = ("policy %s %s"):format(p.path, p.type)
    params(p, types.policies[p.type])
    for _, a in ipairs(p.attach) do
      lines[#lines + 1] = ("  attached to %s.%s"):format(a.component, a.slot)
    end
  end
  for _, l in ipairs(description.links) do
    local function wire(w)
      return ("%d %d %d"):format(w.latency, w.credit, w.capacity)
    end
    lines[#lines + 1] = ("link %s.%s[%d] %s.%s[%d] request %s reply %s")
      :format(l.client.path, l.client.port, l.client.index, l.server.path,
              l.server.port, l.server.index, wire(l.request), wire(l.reply))
  end
  return table.concat(lines, "\n") .. "\n"
end

return M
