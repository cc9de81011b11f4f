-- Where on the machine `m` of a script a policy goes.

local M = {}

-- Where a policy goes, by a hook that it answers.
local hooks = {
  { "dispatch", "m" }, { "transform", "m.driver" }, { "arbiter", "m.xbar",
    "request_arbiter" }, { "map", "m.dram", "map" }, { "schedule", "m.dram" },
  { "page", "m.dram" }, { "commands", "m.dram" }, { "coalesce",
    "m.sm[0].ldst" }, { "order", "m.sm[0].ldst" }, { "power", "m.l2" },
  { "replacement", "m.sm[0].l1d" }, { "set_index", "m.sm[0].l1d" },
  { "candidates", "m.sm[0].l1d" }, { "admit", "m.sm[0].l1d" },
  { "allocation", "m.sm[0].l1d" }, { "scheduler", "m.sm[0]" },
  { "throttle", "m.sm[0]" }, { "cache_observe", "m.sm[0].l1d" },
  { "sm_observe", "m.sm[0]" }, { "ldst_observe", "m.sm[0]" },
}

local function answers(type, hook)
  for _, facet in ipairs(type.facets) do
    if facet.hook == hook then return true end
  end
  return false
end

-- Who has the slot, as the script's text, and the slot's name if it has to be
-- said; nil: no machine with SMs has a place for it.
function M.of(type)
  for _, hook in ipairs(hooks) do
    if answers(type, hook[1]) then return hook[2], hook[3] end
  end
end

return M
