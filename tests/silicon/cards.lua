-- What a card gave, and the machine that is to be like it: options of the
-- scripts that compare both.
local loom = require "warploom"

local M = {}

M.card = loom.option { name = "card", default = "h100_sxm",
                       doc = "Whose durations: a file of cards/" }
M.only = loom.option { name = "only", default = "", doc = "A pattern of names" }
M.limit = loom.option { name = "limit", default = 0.0, min = 0,
                        doc = "Fail if an error (of the mean) is larger; " ..
                              "0: never" }
local preset = loom.option { name = "preset", default = "",
                             doc = "Machine; that of the card if empty" }
local change = loom.option { name = "change", default = "",
                             doc = "Lua that changes the machine g, with loom" }

local presets = { h100_sxm = "h100" } -- others are called as the card

-- Durations are CUPTI's, and with it larger copies are not in the L2
-- (decision 0079); those of h100_pcie are Nsight Systems', in which they are.
local traced = { h100_sxm = true, h200 = true }
M.traced = traced

function M.machine()
  local g = loom.preset[preset ~= "" and preset or presets[M.card] or M.card] {}
  if traced[M.card] then g:each "l2[*]":set { preload_most = "64KiB" } end
  if change ~= "" then
    assert(load("local g, loom = ... " .. change, "=change"))(g, loom)
  end
  return g
end

-- Lists of the medians of launches, in ns, by case: of "cases" or "micro".
-- Those of h100_pcie were published, for all launches of a program together.
function M.durations(set)
  local times = {}
  local folder = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."
  for line in io.lines(("%s/cards/%s_%s.csv"):format(folder, M.card, set)) do
    local case, ns = line:match(
      "^([^,]*),%d+,[^,]*,[^,]*,[^,]*,[^,]*,([^,]*),")
    if case then
      times[case] = times[case] or {}
      table.insert(times[case], tonumber(ns))
    end
  end
  return times
end

return M
