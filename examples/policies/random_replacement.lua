-- Any line: better than LRU where it thrashes.
--   warploom run -q examples/policies/random_replacement.lua
local loom = require "warploom"

-- Without time: all see the same accesses, and min is the best there can be.
local function l1(policy)
  return loom.locality_cache { size_bytes = "2KiB", ways = 4,
                               replacement = policy }
end

local names = { "lru", "random_replacement", "min" }
print(("%-12s"):format("hits %") .. ("%20s"):rep(#names):format(
      table.unpack(names)))
for _, program in ipairs { "atax", "bfs", "kmeans", "mvt" } do
  local machine, row = { sms = 4 }, { ("%-12s"):format(program) }
  for _, name in ipairs(names) do machine[name] = l1(loom[name] {}) end
  local run = loom.run { machine = loom.locality(machine),
                         workload = loom.suite[program] { size = "tiny" } }
  for i, name in ipairs(names) do
    row[i + 1] = ("%20.1f"):format(
      100 * run.stats("locality/" .. name).hit_ratio)
  end
  print(table.concat(row))
end
