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

-- Where the tasks of a text begin, with its end: each takes `piece` bytes and
-- what is left of the last one's line; without `piece`, a line.
function M.tasks(dev, text, piece)
  local list, at = {}, 0
  while at < #text do
    list[#list + 1] = at
    at = text:find("\n", at + (piece or 1), true) or #text
  end
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
  local padded = M.padded(count)
  local directory = dev:alloc({ type = "i32", count = 4 * padded }, "records")
  directory:fill(0xff)
  local keys = dev:alloc({ type = "u8", count = math.max(size, 1) }, "keys")
  dev:launch(name .. "_map", { grid = grid, block = block,
    args = { dtext, dlines, dev:upload(first, "first"),
             dev:upload(key, "key_start"), directory, keys, tasks } })
  return directory, keys, count, padded
end

-- Sorts the records by key; `last` is what a program's compare needs.
function M.sort(dev, name, records, keys, padded, last)
  local length = 2
  while length <= padded do
    local distance = length // 2
    while distance > 0 do
      dev:launch(name .. "_sort", { grid = padded // block, block = block,
        args = { records, keys, distance, length, last } })
      distance = distance // 2
    end
    length = length * 2
  end
end

-- Where the groups of `count` begin, from flags: a list from 0, with the end.
local function group_starts(flags, count)
  local list = {}
  for i, is_first in ipairs(flags:download():table()) do
    if is_first ~= 0 then list[#list + 1] = i - 1 end
  end
  list[#list + 1] = count
  return list
end

-- Where the groups of sorted keys begin, by NAME_group.
function M.groups(dev, name, keys, count, last)
  local first = dev:alloc({ type = "i32", count = count }, "group")
  dev:launch(name .. "_group", { grid = (count + block - 1) // block,
    block = block, args = { keys, first, last, count } })
  return group_starts(first, count)
end

-- Groups of sorted records and the sums of their values: a list of { key =,
-- sum = }.
function M.reduce(dev, name, records, keys, count)
  local first = dev:alloc({ type = "i32", count = count }, "group")
  dev:launch(name .. "_group", { grid = (count + block - 1) // block,
    block = block, args = { records, keys, first, count } })
  local list = group_starts(first, count)
  local groups = #list - 1
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

-- The parameter of it.
M.piece = { name = "piece", default = 1, unit = "byte",
            min = 1, max = 1 << 20,
            doc = "Bytes of a task, at least, to the end of a line" }

-- Map, sort and reduce; `piece` as in M.tasks().
function M.run(dev, name, text, piece)
  local records, keys, count, padded = M.map(dev, name, text,
                                             M.tasks(dev, text, piece))
  M.sort(dev, name, records, keys, padded)
  return M.reduce(dev, name, records, keys, count)
end

-- Runs a job whose tasks emit one pair each with the framework's directories:
-- `count` and `map` name its kernels, `tasks` how many, `keys` and `values` are
-- buffers of inputs of `key_bytes` and `value_bytes`; `padded`: the directory
-- has so many entries, with -1 in those behind.  Returns buffers of the keys,
-- the values and the directory of what was emitted.
function M.map_pairs(dev, job)
  local tasks, grid = job.tasks, (job.tasks + block - 1) // block
  local function ints(count, label)
    return dev:alloc({ type = "i32", count = count }, label)
  end
  local input = dev:upload(dev:array("i32", 4 * tasks):map(function(_, i)
    return ({ [0] = i // 4 * job.key_bytes, job.key_bytes,
              i // 4 * job.value_bytes, job.value_bytes })[i % 4]
  end), "input")
  local sizes = { ints(tasks, "key_size"), ints(tasks, "value_size"),
                  ints(tasks, "count") }
  dev:launch(job.count, { grid = grid, block = block,
    args = { input, job.keys, job.values, sizes[1], sizes[2], sizes[3],
             tasks } })
  local from, total = {}, {}
  for k = 1, 3 do
    local start
    start, total[k] = starts(dev, sizes[k]:download())
    from[k] = dev:upload(start, ({ "key_start", "value_start", "first" })[k])
  end
  local keys = dev:alloc({ type = "u8", count = total[1] }, "keys")
  local values = dev:alloc({ type = "u8", count = total[2] }, "values")
  local directory = ints(4 * (job.padded or tasks), "directory")
  directory:fill(job.padded and 0xff or 0)
  dev:launch(job.map, { grid = grid, block = block, shared = 20 * block,
    args = { input, job.keys, job.values, from[1], from[2], from[3],
             ints(2 * tasks, "done"), keys, values, directory,
             ints(tasks, "emitted"), tasks } })
  return keys, values, directory
end

-- A buffer of these bytes; the same for each of `times`.
function M.upload(dev, bytes, name, times)
  return dev:upload(core.array("u8", bytes:rep(times or 1)), name)
end

-- The sorted keys or values (`part` 0, 1) of a directory.
function M.copy(dev, name, directory, from, part, bytes, count)
  local to = dev:alloc({ type = "u8", count = bytes * count },
                       part == 0 and "sorted_keys" or "sorted_values")
  dev:launch(name .. "_copy", { grid = (count + block - 1) // block,
    block = block, args = { directory, from, to, part, bytes, count } })
  return to
end

-- The bytes of a buffer as an array of another type.
function M.as(kind, buffer)
  return core.array(kind, buffer:download():string())
end

-- The power of two at or above `count` that a sort takes.
function M.padded(count)
  local padded = block
  while padded < count do padded = padded * 2 end
  return padded
end

-- Rows of f32 with zeros behind, so that each is a multiple of 16 bytes long;
-- and how many elements it has then.
function M.rows(dev, array, columns)
  local wide = (columns + 3) // 4 * 4
  return dev:array("f32", #array // columns * wide):map(function(_, i)
    local x = i % wide
    return x < columns and array[i // wide * columns + x] or 0
  end), wide
end

-- The declared loads of those two kernels, `own` over those that all have.
function M.pair_loads(count, map, own)
  local all = {
    [count] = { key_size = "streaming coherent",
                value_size = "streaming coherent",
                count = "streaming coherent" },
    [map] = { first = "intra coherent", key_start = "intra coherent",
              value_start = "intra coherent", done = "streaming coherent",
              emitted = "streaming coherent", input = "intra divergent",
              input_values = "intra divergent",
              directory = "intra divergent" },
  }
  for kernel, loads in next, own do
    all[kernel] = all[kernel] or {}
    for load, class in next, loads do all[kernel][load] = class end
  end
  return all
end

-- The declared loads of a program: most are alike; `own` says which are not.
function M.loads(name, own)
  local all = {
    count = { text = "intra divergent", lines = "inter coherent" },
    map = { text = "intra divergent", lines = "inter coherent",
            first = "streaming coherent", key_start = "streaming coherent" },
    sort = { records = "mixed divergent", keys = "mixed divergent" },
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
