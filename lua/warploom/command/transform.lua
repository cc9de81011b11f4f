-- warploom transform: a kernel as a transform leaves it for a launch.

local import = ...
local script = import "script/script"

local M = {}

-- What --set may name besides the policy's own parameters.
local own = { machine = "titan_black", block = 256, grid = 1, shared = 0 }

local function literal(text)
  local plain = tonumber(text) or text == "true" or text == "false"
  return plain and text or ("%q"):format(text)
end

-- A program that asks for the text of each kernel and prints it.
local function source(path, options)
  local names, fields, values = {}, {}, {}
  if (options.with or "sl1") == "sl1" and options.set.marks == nil then
    options.set.marks = "false" -- for statistics; nobody wants to read them
  end
  for name in next, options.set do names[#names + 1] = name end
  table.sort(names)
  for name, value in next, own do values[name] = tostring(value) end
  for _, name in ipairs(names) do
    if own[name] then
      values[name] = options.set[name]
    else
      fields[#fields + 1] = ("[%q] = %s"):format(name,
                                                 literal(options.set[name]))
    end
  end
  return ([[
local loom = require "warploom"
loom.run {
  machine = loom.preset[%q] {},
  transform = loom[%q] { %s },
  workload = function(dev)
    local module = dev:module(%q)
    for _, name in ipairs(%s) do
      print(dev:rewritten(name, { grid = %s, block = %s, shared = %s }))
    end
  end,
}
]]):format(values.machine, options.with or "sl1", table.concat(fields, ", "),
           path, options.kernel and ("{ %q }"):format(options.kernel) or
           "module.names", literal(values.grid), literal(values.block),
           literal(values.shared))
end

-- Exit status.
function M.run(path, options)
  local status = script.execute("transform", source(path, options), {
    mode = "run", quiet = true, functional = true })
  script.report()
  return status
end

return M
