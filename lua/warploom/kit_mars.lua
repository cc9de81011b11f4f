-- The host's part of the suite's map-reduce programs (workloads/suite/mars.h):
-- kit.mars in their host programs.

local import = ...
local core = import "core"

local M = {}

local block = 256

-- Sums of the counts before each, and in all.
local function starts(dev, counts)
  local start, total = dev:array("i32", #counts + 1), 0
  for i = 0, #counts - 1 do
    start[i], total = total, total + counts[i]
  end
  start[#counts] = total
  return start, total
end

-- Where the lines of a text begin, with its end: one task per line.
function M.lines(dev, text)
  local list = {}
  for at in text:gmatch "()[^\n]*\n" do list[#list + 1] = at - 1 end
  list[#list + 1] = #text
  return dev:array("i32", list)
end

-- Counts what the tasks emit, then maps: kernels NAME_count and NAME_map.
-- Returns the records, padded to a power of two, the keys, and how many.
function M.map(dev, name, text, lines)
  local tasks = #lines - 1
  local grid = (tasks + block - 1) // block
  local dtext = dev:upload(core.array("u8", text), "text")
  local dlines = dev:upload(lines, "lines")
  local records = dev:alloc({ type = "i32", count = tasks }, "record_count")
  local bytes = dev:alloc({ type = "i32", count = tasks }, "byte_count")
  dev:launch(name .. "_count", { grid = grid, block = block,
    args = { dtext, dlines, records, bytes, tasks } })
  local first, count = starts(dev, records:download())
  local key, size = starts(dev, bytes:download())
  local padded = block
  while padded < count do padded = padded * 2 end
  local directory = dev:alloc({ type = "i32", count = 4 * padded }, "records")
  directory:fill(0xff)
  local keys = dev:alloc({ type = "u8", count = math.max(size, 1) }, "keys")
  dev:launch(name .. "_map", { grid = grid, block = block,
    args = { dtext, dlines, dev:upload(first, "first"),
             dev:upload(key, "key_start"), directory, keys, tasks } })
  return directory, keys, count, padded
end

-- Sorts the records by key.
function M.sort(dev, name, records, keys, padded)
  local length = 2
  while length <= padded do
    local distance = length // 2
    while distance > 0 do
      dev:launch(name .. "_sort", { grid = padded // block, block = block,
        args = { records, keys, distance, length } })
      distance = distance // 2
    end
    length = length * 2
  end
end

-- Groups of sorted records and the sums of their values: a list of { key =,
-- sum = }.
function M.reduce(dev, name, records, keys, count)
  local first = dev:alloc({ type = "i32", count = count }, "group")
  dev:launch(name .. "_group", { grid = (count + block - 1) // block,
    block = block, args = { records, keys, first, count } })
  local list = {}
  for i, is_first in ipairs(first:download():table()) do
    if is_first ~= 0 then list[#list + 1] = i - 1 end
  end
  local groups = #list
  list[groups + 1] = count
  local sum = dev:alloc({ type = "i32", count = groups }, "sum")
  dev:launch(name .. "_reduce", { grid = (groups + block - 1) // block,
    block = block, args = { records, dev:upload(dev:array("i32", list),
                                                "start"), sum, groups } })
  local r, text = records:download(), keys:download():string()
  local out, sums = {}, sum:download()
  for g = 1, groups do
    local at, size = r[4 * list[g]], r[4 * list[g] + 1]
    out[g] = { key = text:sub(at + 1, at + size), sum = sums[g - 1] }
  end
  return out
end

-- Map, sort and reduce.
function M.run(dev, name, text)
  local records, keys, count, padded = M.map(dev, name, text,
                                             M.lines(dev, text))
  M.sort(dev, name, records, keys, padded)
  return M.reduce(dev, name, records, keys, count)
end

-- The declared loads of a program: most are alike; `own` says which are not.
function M.loads(name, own)
  local all = {
    count = { text = "intra divergent", lines = "inter coherent" },
    map = { text = "intra divergent", lines = "inter coherent",
            first = "streaming coherent", key_start = "streaming coherent" },
    sort = { records = "intra divergent", keys = "mixed divergent" },
    group = { records = "mixed divergent", keys = "mixed divergent" },
    reduce = { records = "intra divergent", start = "inter coherent" },
  }
  local out = {}
  for kernel, loads in next, all do
    for load, class in next, own and own[kernel] or {} do
      loads[load] = class
    end
    out[name .. "_" .. kernel] = loads
  end
  return out
end

-- Are groups in the order of their keys, with these sums?
function M.check(dev, groups, want)
  local seen = 0
  for g, group in ipairs(groups) do
    dev:check(g == 1 or groups[g - 1].key < group.key, "keys are not in order")
    dev:check(group.sum == want[group.key], ("the sum of '%s' is %d"):format(
              group.key, group.sum))
    seen = seen + 1
  end
  for _ in next, want do seen = seen - 1 end
  dev:check(seen == 0, "there are too few groups")
end

return M
