-- S-L1 changes no result: every program of the suite, functionally, leaves
-- the same bytes in device memory with its kernels rewritten and without, and
-- passes its check.  Of two programs parts are sets, see below.
--
-- `threshold` small: so that even the smallest inputs reach the computation
-- slice; `cache = "all"`: so that lines are used whatever was monitored.
--
-- usage: warploom run -q --functional sl1_equal.lua [--set size=small]
--        [--set only=atax,bfs]
local loom = require "warploom"

local size = loom.option { name = "size", default = "tiny",
                           doc = "Size of the programs' inputs" }
local only = loom.option { name = "only", default = "",
                           doc = "These programs only" }
local lines = loom.option { name = "lines", default = "8,16,24",
                            doc = "Bytes of lines" }
local thresholds = loom.option { name = "thresholds", default = "5",
                                 doc = "Accesses that are monitored" }
local cache = loom.option { name = "cache", default = "all",
                            doc = "Which structures are cached" }

local leave = loom.option { name = "leave", default = "any,outer",
                            doc = "Where the monitoring slice is left" }

-- Hash tables that threads enter with compare-and-swap: which of two threads
-- comes first, and so which slot each gets, depends on how far a warp's
-- threads have come apart.  What is entered must be the same: these buffers,
-- which belong together, are compared as a set of their rows, all others byte
-- by byte.
local sets = { sl1_dna = { "table" }, sl1_pageview = { "key", "count" } }

-- The contents of all buffers as text; sets are sorted.
local function contents(buffers, set)
  local in_set, parts, rows = {}, {}, {}
  for _, name in ipairs(set) do in_set[name] = true end
  for i, buffer in ipairs(buffers) do
    if not in_set[buffer.name] then
      parts[#parts + 1] = ("%d %s\n%s"):format(i, buffer.name,
                                               buffer:download():string())
    else
      local array = buffer:download()
      for r = 0, #array - 1 do
        rows[r] = ("%s %d"):format(rows[r] or "", array[r])
      end
    end
  end
  local list = table.move(rows, 0, #rows, 1, {})
  table.sort(list)
  return table.concat(parts, "\n") .. table.concat(list, "\n")
end

-- A program of the suite that leaves what its buffers hold in `out`.
local function watched(name, out)
  local program = loom.suite[name] { size = size }
  return function(dev)
    local buffers = {}
    local proxy = setmetatable({ alloc = function(_, ...)
      buffers[#buffers + 1] = dev:alloc(...)
      return buffers[#buffers]
    end }, { __index = dev })
    program.run(proxy, program.values)
    out.text = contents(buffers, sets[name])
  end
end

local wanted = {}
for name in only:gmatch "[^,]+" do wanted[name] = true end

local function go(name, transform)
  local out = {}
  local run = loom.run { machine = loom.preset.titan_black { sm_count = 2 },
                         workload = sets[name] and watched(name, out) or
                                    loom.suite[name] { size = size },
                         transform = transform }
  return run, out.text
end

local programs, kernels, wrong = 0, 0, 0

local function compare(name, plain, text, settings)
  local run, other = go(name, loom.sl1(settings))
  kernels = kernels + (run.warp_insts ~= plain.warp_insts and 1 or 0)
  if #run.verdicts == 0 then error(name .. " checks nothing", 0) end
  if run.digest == plain.digest then return end
  local same = other ~= nil and other == text
  wrong = wrong + (same and 0 or 1)
  print(("%s differs with lines of %s bytes after %s accesses, left at %s%s")
    :format(name, settings.line, settings.threshold, settings.leave,
            same and " loops: in the order of its sets" or " loops"))
end

for _, name in ipairs(loom.suite.list()) do
  if only == "" or wanted[name] then
    local plain, text = go(name)
    programs = programs + 1
    for at in leave:gmatch "%a+" do
      for line in lines:gmatch "%d+" do
        for threshold in thresholds:gmatch "%d+" do
          compare(name, plain, text,
                  { line = tonumber(line), cache = cache, leave = at,
                    threshold = tonumber(threshold) })
        end
      end
    end
  end
end
if wrong > 0 then error(wrong .. " runs differ", 0) end
if kernels == 0 then error("nothing was rewritten", 0) end
print(("%d programs, %d rewritten runs: all right"):format(programs, kernels))
