-- The module that scripts get from require "warploom".
--
-- Its fields are the component and policy types of this build as
-- constructors (loom.cache { .. }, loom.lru {}), and the functions below.

local import = ...
local core = import "core"
local session = import "script/session"
local suggest = import "base/suggest"
local record = import "machine/record"
local link = import "machine/link"
local option = import "script/option"
local preset = import "machine/preset"
local memory = import "machine/memory"
local device = import "host/device"
local run = import "run/run"
local experiment = import "sweep/experiment"
local energy = import "machine/energy"
local types = import "machine/types"
local replay = import "recording/replay"
local trace = import "recording/trace"
local poison = import "base/poison"
local policy_kit = import "policy/kit"
local plugin = import "policy/plugin"
import "machine/each"

local M = {}

local functions = {
  list = record.list, shared = record.shared, link = link.link,
  splice = link.splice, option = option.option, run = run.run,
  experiment = experiment.experiment, energy = energy.energy,
  replay = replay.replay, trace = trace.trace, policy = policy_kit.policy,
  plugin = plugin.plugin,
  array = device.array, matvec = core.matvec, matvec_t = core.matvec_t,
  matmul = core.matmul, f32 = core.f32, version = core.version,
}

-- A workload of one's own: loom.workload { name =, run = function(dev) .. }.
function functions.workload(spec)
  if type(spec) == "table" and type(spec.run) == "function" then
    return setmetatable({ name = spec.name or "script", run = spec.run,
                          values = spec.values or spec.params or {} },
                        { __name = "workload" })
  end
  session.problem("workload", "needs a function: loom.workload { name = .., " ..
                  "run = function(dev) .. end }")
  return poison
end

local function names()
  local all = types.all_names()
  for name in next, functions do all[#all + 1] = name end
  for _, name in ipairs { "preset", "suite", "memory" } do
    all[#all + 1] = name
  end
  table.sort(all)
  return all
end
M.names = names

-- Names that a script's own policy cannot have.
function policy_kit.reserved()
  local taken = { "preset", "suite", "memory" }
  for name in next, functions do taken[#taken + 1] = name end
  return taken
end
M.functions = functions

local libraries = { preset = preset.presets, suite = preset.suites,
                    memory = memory.memories }

-- One table per session, as presets and suites run in its environment.
function M.new(environment)
  local constructors = {}
  local loom = setmetatable({}, {
    __index = function(self, name)
      if functions[name] ~= nil then return functions[name] end
      local library = libraries[name]
      if library then
        local made = library(environment())
        rawset(self, name, made)
        return made
      end
      local type = types.find(name)
      if type then
        constructors[name] = constructors[name] or function(fields)
          return record.construct(type, fields)
        end
        return constructors[name]
      end
      session.problem("loom", ("there is no '%s'%s"):format(tostring(name),
                      suggest.nearest(name, names()) and
                      suggest.hint(name, names()) or
                      "; see warploom info"))
      return poison
    end,
    __newindex = function(_, name)
      session.problem("loom", ("'%s' cannot be set: the module is read only")
                      :format(tostring(name)))
    end,
    __name = "warploom", __metatable = "warploom",
  })
  return loom
end

return M
