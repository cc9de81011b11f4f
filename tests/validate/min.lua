-- No replacement policy misses less than min: every program of the suite at
-- size tiny (--set only=NAME,.. some), every registered policy, on the same
-- accesses, in caches without time that are large, small, and of one set.
--
-- Whoever adds a policy is covered by having added it.
local loom = require "warploom"
local import = require "warploom.import"
local types = import "machine/types"

local only = loom.option { name = "only", default = "",
                           doc = "Programs, separated by commas; all if empty" }
local size = loom.option { name = "size", default = "tiny",
                           doc = "Size of the suite's programs" }

local shapes = { { name = "large", size_bytes = "16KiB", ways = 4 },
                 { name = "small", size_bytes = "2KiB", ways = 4 },
                 { name = "odd", size_bytes = 768, ways = 3 } }

-- All with their defaults, and what the defaults leave out.  Those that
-- answer other questions as well, such as dacache's of candidates, are more
-- than a replacement policy: not every miss gets a line.
local left_out = {}
local function policies()
  local list = {}
  left_out = {}
  for _, name in ipairs(types.answering "replacement") do
    if #types.policies[name].facets == 1 then
      list[name] = loom[name] {}
    else
      left_out[#left_out + 1] = name
    end
  end
  list.drrip_hit = loom.drrip { promotion = "hit", bits = 2 }
  list.srrip_hit = loom.srrip { promotion = "hit", bits = 2,
                                scan = "highest" }
  list.bip_counter = loom.bip { bimodal_draw = "counter", bimodal_one_in = 8 }
  list.dip_lru = loom.dip { psel_start = 511 }
  list.pipp_end = loom.pipp { insertion = 1, promote_percent = 100, steps = 4 }
  return list
end

local function machine()
  local fields, names = { sms = 3 }, {}
  for _, shape in ipairs(shapes) do
    for name, policy in pairs(policies()) do
      local key = ("%s_%s"):format(shape.name, name)
      fields[key] = loom.cache { size_bytes = shape.size_bytes,
        ways = shape.ways, set_index = loom.ipoly_index {},
        replacement = policy }
      names[#names + 1] = { key = key, bound = shape.name .. "_min" }
    end
  end
  return loom.locality(fields), names
end

local programs = {}
if only == "" then
  programs = loom.suite.list()
else
  for name in only:gmatch "[^,]+" do programs[#programs + 1] = name end
end

local wrong, compared, nearer = {}, 0, 0
for _, program in ipairs(programs) do
  local gpu, names = machine()
  local run = loom.run { machine = gpu, workload = loom.suite[program] {
    size = size, verify = false } }
  local lines = run.stats "locality".lines
  for _, one in ipairs(names) do
    local mine, bound = run.caches[one.key], run.caches[one.bound]
    compared = compared + 1
    nearer = nearer + (mine.hits < bound.hits and 1 or 0)
    if mine.hits > bound.hits or mine.accesses ~= lines then
      wrong[#wrong + 1] = ("%s: %s hits %d of %d, min %d of %d lines"):format(
        program, one.key, mine.hits, mine.accesses, bound.hits, lines)
    end
  end
end
print(("%d programs, %d comparisons, min is better in %d"):format(#programs,
                                                          compared, nearer))
print("not compared, as they answer other questions too: " ..
      table.concat(left_out, ", "))
assert(#programs > 0 and nearer > 0, "nothing was compared")
if #wrong > 0 then error(table.concat(wrong, "\n"), 0) end
