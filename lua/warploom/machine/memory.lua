-- loom.memory.NAME { .. }: a DRAM channel with the timing of a standard.
--
-- A set is a file that returns { name =, doc =, clock = { value, source },
-- dram = { parameter = { value, source }, .. } }, or the name of one that it
-- `extends`.  The fields of the call override it.

local import = ...
local session = import "script/session"
local suggest = import "base/suggest"
local files = import "script/files"
local record = import "machine/record"
local unit = import "base/unit"
local poison = import "base/poison"
local preset = import "machine/preset"

local M = {}

local numbers = preset.numbers
M.numbers = numbers

local function build(name, set, given, env)
  local site = session.site()
  if given ~= nil and (type(given) ~= "table" or getmetatable(given)) then
    session.problem(name, ("got %s, expected a table"):format(
                    unit.quote(given)), site)
    return poison
  end
  local fields = { clock = set.clock[1] }
  for key, value in next, set.dram do fields[key] = value[1] end
  local outer = session.origin
  session.origin = "preset"
  local dram = env.require "warploom".dram(fields)
  session.origin = "argument"
  if dram ~= poison then record.apply(dram, given or {}, site, name) end
  session.origin = outer
  return dram
end

function M.memories(env)
  return setmetatable({}, {
    __index = function(_, name)
      local set = numbers(tostring(name), env)
      if not set then
        session.problem("memory", ("there is no memory '%s'%s"):format(
          tostring(name), suggest.hint(name, files.names("memories"))))
        return poison
      end
      return function(given) return build(name, set, given, env) end
    end,
    __newindex = function() error("memories are files", 2) end,
    __metatable = "memories",
  })
end

return M
