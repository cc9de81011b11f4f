-- S-L1 changes no result: every program of the suite, functionally, leaves
-- the same bytes in device memory with its kernels rewritten and without, and
-- passes its check.
--
-- `threshold` small: so that even the smallest inputs reach the computation
-- slice; `cache = "all"`: so that lines are used whatever was monitored.
--
-- usage: warploom run -q --functional sl1_equal.lua [--set size=small]
--        [--set only=atax,bfs] [--set part=1/2]
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

-- Hash tables that threads enter with compare-and-swap: which of two threads
-- comes first, and so which slot each gets, depends on how far a warp's
-- threads have come apart.  Their own check against the CPU, which is part of
-- every run here, does not ask for slots.
local ordered = { sl1_dna = true, sl1_pageview = true }

local leave = loom.option { name = "leave", default = "any",
                            doc = "Where the monitoring slice is left" }

local wanted = {}
for name in only:gmatch "[^,]+" do wanted[name] = true end

local function go(name, transform)
  return loom.run { machine = loom.preset.titan_black { sm_count = 2 },
                    workload = loom.suite[name] { size = size },
                    transform = transform }
end

local programs, kernels, wrong = 0, 0, 0
for _, name in ipairs(loom.suite.list()) do
  if only == "" or wanted[name] then
    local plain = go(name)
    programs = programs + 1
    for line in lines:gmatch "%d+" do
      for threshold in thresholds:gmatch "%d+" do
        local run = go(name, loom.sl1 { line = tonumber(line), cache = cache,
                                        leave = leave,
                                        threshold = tonumber(threshold) })
        local good = run.digest == plain.digest
        kernels = kernels + (run.warp_insts ~= plain.warp_insts and 1 or 0)
        local form = "%s differs with lines of %s bytes after %s accesses%s"
        if not good then
          wrong = wrong + (ordered[name] and 0 or 1)
          print(form:format(name, line, threshold, ordered[name] and
                            ", in the order of atomics; its check passes" or
                            ""))
        end
      end
    end
  end
end
if wrong > 0 then error(wrong .. " runs differ", 0) end
if kernels == 0 then error("nothing was rewritten", 0) end
print(("%d programs, %d rewritten runs: all right"):format(programs, kernels))
