-- What paths.cu or atomics.cu printed here, beside what a card did: cycles (of
-- writes, bytes a cycle), and how far both are apart, by kind.
--   warploom cuda h100.lua -- ./paths 40 > here.csv
--   warploom --unsafe run -q tests/silicon/paths.lua --set here=here.csv
local loom = require "warploom"

local card = loom.option { name = "card", default = "h100_sxm",
                           choices = { "h100_sxm", "h200" },
                           doc = "The card" }
local here = loom.option { name = "here", default = "here.csv",
                           doc = "What paths printed" }
local rows_of = loom.option { name = "program", default = "paths",
                              choices = { "paths", "atomics" },
                              doc = "What printed it" }
local only = loom.option { name = "only", default = "",
                           doc = "A pattern of rows to print" }
local folder = debug.getinfo(1, "S").source:match "^@(.*)/" or "."

-- Values by what a line says before the last comma.
local function rows(name)
  local values, order = {}, {}
  for line in io.lines(name) do
    local what, value = line:match "^(.*),[%a ]*([%-%d.]+)[%a ]*$"
    if what and not line:find "^card" and not line:find "^code" and
       not line:find "^early" then
      values[what], order[#order + 1] = tonumber(value), what
    end
  end
  return values, order
end

local measured = rows(("%s/cards/%s_%s.csv"):format(folder, card, rows_of))
local values, order = rows(here)
local kinds, names = {}, {}
for _, what in ipairs(order) do
  local a, b = values[what], measured[what]
  if a and b then
    local kind = what:match "^fence,[^,]*" or what:match "^[^,]*"
    local k = kinds[kind]
    if not k then
      k = { n = 0, sum = 0, worst = 0 }
      kinds[kind], names[#names + 1] = k, kind
    end
    local off = math.abs(math.log(a / b))
    k.n, k.sum = k.n + 1, k.sum + off
    if off > k.worst then k.worst, k.where = off, what end
    if only ~= "" and what:find(only) then
      print(("%-60s %9.1f %9.1f %6.2f"):format(what, a, b, a / b))
    end
  end
end
assert(#names > 0, "no row of the card's in what paths printed")
print(("%-28s %4s %7s %7s  %s"):format("", "rows", "error", "worst", "where"))
for _, kind in ipairs(names) do
  local k = kinds[kind]
  print(("%-28s %4d %6.1f%% %6.0f%%  %s"):format(kind, k.n,
        100 * (math.exp(k.sum / k.n) - 1), 100 * (math.exp(k.worst) - 1),
        k.where))
end
