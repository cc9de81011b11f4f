-- loom.preset.NAME { .. } and loom.suite.NAME { .. }: machines and workloads
-- by name.
--
-- A preset is a file that returns { name =, doc =, params = { .. },
-- build = function(p) .. return machine end }; or, instead of build, tables
-- of numbers with their sources, `machine` (see builder.lua), and the name of
-- a preset that it `extends`.  The fields of the call that are not in `params`
-- are overrides for the machine that is built.
-- A suite file returns { name =, doc =, params =, run = function(dev, p) };
-- suite/suite.lua says what else, and what sizes are.

local import = ...
local core = import "core"
local session = import "script/session"
local suggest = import "base/suggest"
local files = import "script/files"
local record = import "machine/record"
local unit = import "base/unit"
local renamed = import "machine/renamed"
local poison = import "base/poison"
local builder = import "machine/builder"
local catalogue = import "suite/suite"

local M = {}

local kinds = { boolean = "boolean", string = "string" }

-- A parameter of a preset or workload as unit.check wants it.
local function spec_of(param)
  local spec = { wide = true, unit = "1" }
  for key, value in next, param do spec[key] = value end
  spec.type = param.type or math.type(param.default) == "integer" and
              "integer" or kinds[type(param.default)] or "number"
  return spec
end

-- Takes what `params` declare out of `given`; returns the values.
local function take(params, given, subject, site)
  local values, names, rest = {}, {}, {}
  for key, value in next, given do
    rest[renamed.current(subject, key, subject,
                         session.field(site, subject, key)) or key] = value
  end
  given = {}
  for key, value in next, rest do given[key] = value end
  for _, param in ipairs(params or {}) do
    local spec = spec_of(param)
    names[#names + 1] = spec.name
    local value = given[spec.name]
    rest[spec.name] = nil
    values[spec.name] = spec.default
    if value ~= nil and value ~= poison then
      local checked, expected, hint = unit.check(spec, value, suggest.nearest)
      if checked == nil then
        session.problem(subject, ("parameter '%s' is %s, %s%s"):format(
          spec.name, unit.quote(value), expected, hint),
          session.field(site, subject, spec.name))
      else
        values[spec.name] = checked
      end
    end
  end
  return values, rest, names
end

-- Loads a file of a kind, once a session.
local function load_file(kind, name, env)
  local key = kind .. "/" .. name
  if session.modules[key] then return session.modules[key] end
  local text, path = files.find_named(kind, name)
  if not text then return nil end
  local chunk = import "script/sandbox".load(text, path, env)
  if not chunk then session.stop("syntax") end
  local made = chunk()
  if type(made) ~= "table" then
    error(("%s does not return a table"):format(path), 0)
  end
  made.path = path
  session.modules[key] = made
  return made
end
M.load_file = load_file

-- The numbers of a set of memories/ with those of the set that it extends.
local function numbers(name, env)
  local set = load_file("memories", name, env)
  if not set then return nil end
  local out = { clock = set.clock, dram = {} }
  if set.extends then
    local base = numbers(set.extends, env)
    out.clock = out.clock or base.clock
    for key, value in next, base.dram do out.dram[key] = value end
  end
  for key, value in next, set.dram do out.dram[key] = value end
  return out, set
end
M.numbers = numbers

local function missing(kind, name)
  local names = files.names(kind)
  local hint = suggest.hint(name, names)
  if hint == "" and kind == "suite" then hint = "; see warploom suite list" end
  session.problem(kind == "suite" and "suite" or "preset",
    ("there is no %s '%s'%s"):format(kind == "suite" and "workload" or
    "preset", tostring(name), hint))
  return poison
end

local function check_call(what, fields, site)
  if fields == nil then return {} end
  if type(fields) == "table" and not getmetatable(fields) then
    return fields
  end
  session.problem(what, ("got %s, expected a table"):format(
                  unit.quote(fields)), site)
  return {}
end

local description

-- The tables of a preset that has some, with those that it extends and the
-- numbers of its `memory`.
function description(preset, env)
  if not preset.machine then return nil end
  local base = preset.extends and load_file("presets", preset.extends, env)
  if preset.extends and not base then
    error(("%s extends '%s', which does not exist"):format(preset.path,
          preset.extends), 0)
  end
  if base and not base.machine then
    error(("%s extends '%s', which is built by a function and has no tables"):
          format(preset.path, preset.extends), 0)
  end
  local tables = base and description(base, env) or {}
  if preset.memory then
    local set = numbers(preset.memory, env)
    tables = builder.extend(tables, { clock = { dram = set.clock },
                                      dram = set.dram })
  end
  return builder.extend(tables, preset.machine)
end
M.description = description

-- Parameters of a preset; one made of tables has the numbers of SMs and of
-- channels.
function M.params(preset, env)
  if not preset.machine or preset.params then return preset.params end
  local shape = description(preset, env).shape
  preset.params = { { name = "sm_count", default = shape.sms[1], min = 1,
                      max = 256, doc = "SMs" },
                    { name = "channel_count", default = shape.channels[1],
                      min = 1, max = 256,
                      doc = "DRAM channels, each with its slices of the L2" } }
  return preset.params
end

-- What is neither a parameter of the preset nor anything of its machine: it may
-- be either, misspelt.
local function refuse_unknown(root, name, rest, own, site)
  local names, known = record.names_of(root), { name = true }
  for _, one in ipairs(names) do known[one] = true end
  table.move(own, 1, #own, #names + 1, names)
  local mine = {}
  for _, one in ipairs(own) do mine[one] = true end
  for _, key in ipairs(record.sorted_keys(rest)) do
    local value = rest[key]
    if not known[key] and type(value) ~= "table" then
      rest[key] = nil
      session.problem(name, ("there is no parameter '%s' (it was given %s)%s")
        :format(tostring(key), unit.quote(value),
                suggest.hint(key, names, function(one)
                  return mine[one] or record.takes(root, one, value)
                end)), session.field(site, name, key))
    end
  end
end

local function build(preset, name, fields, env)
  local site = session.site()
  fields = check_call(name, fields, site)
  local values, rest, names = take(M.params(preset, env), fields, name, site)
  local outer = session.origin
  local _ <close> = preset.machine and session.uncollected() or nil
  session.origin = "preset"
  local root = preset.machine and
    builder.build(description(preset, env), values.sm_count,
                  env.require "warploom", values.channel_count) or
    preset.build(values)
  session.origin = outer
  if root == poison then return poison end
  if not record.is_component(root) then
    error(("%s: build does not return a component"):format(preset.path), 0)
  end
  session.origin = "argument"
  refuse_unknown(root, name, rest, names, site)
  record.apply(root, rest, site, name)
  session.origin = outer
  record.data(root).preset = name
  return root
end

local function suite(workload, name, fields)
  local site = session.site()
  fields = catalogue.sized(workload, check_call(name, fields, site), site)
  local params = catalogue.params(workload)
  local values, rest, names = take(params, fields, name, site)
  for _, key in ipairs(record.sorted_keys(rest)) do
    session.problem(name, ("there is no parameter '%s'%s"):format(
      tostring(key), suggest.hint(key, names)),
      session.field(site, name, key))
  end
  return setmetatable({ name = name, doc = workload.doc, values = values,
                        params = params, run = catalogue.run(workload),
                        path = workload.path,
                        suite = core.kind(workload.path) == nil },
                      { __name = "workload" })
end

local function by_name(kind, call)
  return function(env)
    return setmetatable({}, {
      __index = function(_, name)
        if kind == "suite" and name == "list" then
          return function(filter)
            return catalogue.names(filter, function(one)
              return load_file("suite", one, env)
            end)
          end
        end
        if kind == "presets" and name == "gpgpusim" then
          return function(given)
            return import "gpgpusim/gpgpusim".preset(given, env)
          end
        end
        local file = load_file(kind, tostring(name), env)
        if not file then return missing(kind, name) end
        return function(fields) return call(file, name, fields, env) end
      end,
      __newindex = function() error("presets are files", 2) end,
      __metatable = kind,
    })
  end
end

M.presets = by_name("presets", build)
M.suites = by_name("suite", suite)

return M
