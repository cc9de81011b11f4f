-- S-L1's headline: figure 7, the ten streaming applications with S-L1 and with
-- the hardware L1 relative to no L1, the best of several numbers of threads
-- each; figure 8, S-L1's hit ratio; figure 13, lines of 8 and 24 bytes; and
-- figure 1, the hit ratio of the hardware L1 against threads.
--   warploom sweep examples/papers/sl1/quick.lua -j 2
--   warploom sweep examples/papers/sl1/quick.lua --set sms=15 --set kbytes=2048
-- A thread monitors 300 accesses, so that small inputs show less of a gain.
-- One SM of the Titan Black with its share of the L2, unless `sms` says more.
-- The same work for any number of threads: `kbytes` of text for each SM.
local loom = require "warploom"

local size = loom.option { name = "size", default = "small",
                           choices = { "tiny", "small" },
                           doc = "Defaults of `kbytes` and `threads`" }
local sms = loom.option { name = "sms", default = 1, doc = "SMs" }
local tiny = size == "tiny"
local kbytes = loom.option { name = "kbytes", default = tiny and 32 or 512,
                             doc = "KiB of input for each SM" }
local most = loom.option { name = "threads", default = tiny and 256 or 1024,
                           doc = "Most threads of an SM" }
local restricted = loom.option { name = "restricted", default = true,
                                 doc = "Pointers do not overlap" }
local verify = loom.option { name = "verify", default = false,
                             doc = "Check results against the CPU" }

-- Bytes of input that one step of `chunk` takes, where it is not one.
local step = { sl1_affinity = 16, sl1_dna = 64, sl1_kmeans = 128 }
local names = loom.suite.list { paper = "sl1" }

local function sl1(line, cache)
  return loom.sl1 { line = line, restricted = restricted, cache = cache }
end
local schemes = {
  { "none", off = true },
  { "l1" },
  { "sl1_8", off = true, transform = sl1(8) },
  { "sl1", off = true, transform = sl1(16) },
  { "sl1_24", off = true, transform = sl1(24) },
  { "unused", off = true, transform = sl1(16, "none") },
}
local values = {}
for i, s in ipairs(schemes) do values[i] = { name = s[1], value = s } end

local threads, n = {}, 256
while n <= most do
  threads[#threads + 1] = n
  n = n * 2
end

local function machine(scheme)
  local gpu = loom.preset.titan_black { sm_count = sms }
  local sets = 2 -- of 16 lines; the whole machine's slices have 32
  while sets * 2 * 15 <= 32 * sms do sets = sets * 2 end
  for l2 in gpu:each "l2[*]" do l2.size_bytes = sets * 2048 end
  if scheme.off then gpu:each "sm[*].l1d":attach(loom.no_l1 {}) end
  gpu:each "sm[*]":attach(loom.sl1_count {})
  return gpu
end

local function workload(name, count)
  local all = count * sms
  local p = { threads = all, block = 256, verify = verify }
  if name == "sl1_mm" then -- 2 n^2 inner words are read
    p.inner = 64
    p.n = math.floor((kbytes * sms * 1024 / 4 / 2 / p.inner) ^ 0.5)
  else
    p.chunk = math.max(1, kbytes * 1024 // count // (step[name] or 1))
  end
  return loom.suite[name](p)
end

local function counted(part, whole)
  return function(run)
    local s = run.stats "gpu/sm/policy/sl1_count"
    return s[whole] == 0 and 0 or s[part] / s[whole]
  end
end

local function best(t) return t.cycles:best("threads", "min") end

return loom.experiment {
  name = "sl1_quick",
  doc = "S-L1 beside the hardware L1 and none",
  order = { "bench", "scheme", "threads" },
  axes = { bench = names, scheme = values, threads = threads },
  base = function(p)
    return { machine = machine(p.scheme), transform = p.scheme.transform,
             workload = workload(p.bench, p.threads) }
  end,
  metrics = {
    cycles = { unit = "cycle", doc = "Cycles of the run",
               value = function(run) return run.cycles end },
    warp_insts = { doc = "Instructions executed",
                   value = function(run) return run.warp_insts end },
    l1_hits = { doc = "Hits of the hardware L1 per look-up",
                value = function(run)
      local l1d = run.stats "gpu/sm/l1d"
      return l1d.accesses == l1d.bypasses and 0 or l1d.hits / l1d.accesses
    end },
    hits = { doc = "Hits of S-L1 per access in computation slices",
             value = counted("hits", "accesses") },
    monitoring = { doc = "Share of simulateCache() in instructions",
                   value = counted("monitoring", "all") },
  },
  derive = {
    -- Figure 7; 13 is sl1_8 and sl1_24 against sl1, 12 unused against none.
    speedup = function(t)
      return best(t):normalise({ scheme = "none" }, "inverse")
    end,
    mean_speedup = function(t)
      return t.speedup:mean("bench", "arithmetic")
    end,
    -- The paper's 1.9: of S-L1 over the hardware L1.
    over_l1 = function(t)
      return best(t):normalise({ scheme = "l1" }, "inverse")
        :at { scheme = "sl1" }
    end,
    mean_over_l1 = function(t) return t.over_l1:mean("bench", "arithmetic") end,
    which = function(t) return t.cycles:which("threads", "min") end, -- 9
    figure8 = function(t)
      return t.hits:at { scheme = "sl1", threads = threads[#threads] }
    end,
    figure1 = function(t)
      return t.l1_hits:at { scheme = "l1", bench = "sl1_wc" }
    end,
    -- Figure 11, executed instructions over those without.
    instructions = function(t)
      return t.warp_insts:normalise { scheme = "none" }
        :at { threads = threads[#threads] }
    end,
  },
}
