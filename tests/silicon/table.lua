-- The micro-kernels in warploom beside what a card gave:
--   warploom --unsafe run -q tests/silicon/table.lua --set card=h100_sxm
local loom = require "warploom"
local micro = require "micro"

local card = loom.option { name = "card", default = "h100_sxm",
                           doc = "Whose values: a file of cards/" }
local preset = loom.option { name = "preset", default = "",
                             doc = "Machine; that of the card if empty" }
local only = loom.option { name = "only", default = "",
                           doc = "A pattern of names" }
local change = loom.option { name = "change", default = "",
                             doc = "Lua that changes the machine g" }

local presets = { h100_sxm = "h100", h200 = "h200" }
local clocks = { h100_sxm = 1.98, h200 = 1.98 } -- GHz, as measured under load

-- Medians of a card's launches, in ns, by case.
local function durations(name)
  local times = {}
  local folder = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."
  for line in io.lines(folder .. "/cards/" .. name .. "_micro.csv") do
    local case, ns = line:match(
      "^([^,]*),%d+,[^,]*,[^,]*,[^,]*,[^,]*,([^,]*),")
    if case then
      times[case] = times[case] or {}
      table.insert(times[case], tonumber(ns))
    end
  end
  return times
end

local times = durations(card)
print(("%-44s %-11s %9s %9s %8s"):format("micro-kernel", "unit", card, "here",
                                         "error"))
for _, case in ipairs(micro.list(loom, only)) do
  local measured = times[case.name:gsub("%s", "_")]
  if measured then
    local g = loom.preset[preset ~= "" and preset or presets[card]] {}
    if change ~= "" then assert(load("local g = ... " .. change))(g) end
    local run = loom.run { machine = g, memory = "64GiB",
                           workload = micro.workload(loom, case) }
    local here = {}
    for i, k in ipairs(run.kernels) do here[i] = k.seconds * 1e9 end
    local a = case.value(measured, clocks[card])
    local b = case.value(here, g.clock / 1e9)
    print(("%-44s %-11s %9.2f %9.2f %7.1f%%"):format(case.name, case.unit, a,
          b, 100 * (b / a - 1)))
  end
end
