-- What the figures of the S-L1 paper share: machine, applications, schemes.
local loom = require "warploom"
local claims = require "warploom.claims"

local M = {}

local size = loom.option { name = "size", default = "small",
                           choices = { "tiny", "small", "paper" },
                           doc = "Defaults of `kbytes` and `threads`" }
M.sms = loom.option { name = "sms", default = 1, doc = "SMs" }
M.tiny = size == "tiny"
-- No powers of two: the chunks of all threads would begin in one set.
local defaults = { tiny = { 125, 256 }, small = { 1000, 2048 },
                   paper = { 8000, 2048 } }
M.kbytes = loom.option { name = "kbytes", default = defaults[size][1],
                         doc = "KiB of input for each SM" }
local most = loom.option { name = "threads", default = defaults[size][2],
                           doc = "Most threads of an SM" }
M.restricted = loom.option { name = "restricted", default = true,
                             doc = "Pointers do not overlap" }
M.verify = loom.option { name = "verify", default = false,
                         doc = "Check results against the CPU" }

M.differs = "one SM of the Titan Black with one of its twelve channels (a " ..
  "fifteenth would be 0.8) and that channel's L2, and of an input that is a " ..
  "thousandth of a gigabyte; the paper varies threads in 512 steps, we in " ..
  "powers of two from 128 on; pointers are taken as restricted"

-- The paper's order.
M.benches = { "sl1_upper", "sl1_wc", "sl1_dna", "sl1_opinion", "sl1_index",
              "sl1_pageview", "sl1_affinity", "sl1_mm", "sl1_grep",
              "sl1_kmeans" }
-- Bytes of input that one step of `chunk` takes, where it is not one.
local step = { sl1_affinity = 16, sl1_dna = 64, sl1_kmeans = 128 }

-- Threads of an SM, resident together as far as there is room.
M.threads = {}
do
  local n = 128
  while n <= most do
    M.threads[#M.threads + 1] = n
    n = n * 2
  end
end

local function sl1(line, cache, threshold)
  return loom.sl1 { line = line, restricted = M.restricted, cache = cache,
                    threshold = threshold }
end

M.schemes = {
  none = { off = true },
  l1 = {},
  infinite = { infinite = true }, -- an L1D without end
  sl1_8 = { off = true, transform = sl1(8) },
  sl1 = { off = true, transform = sl1(16) },
  sl1_24 = { off = true, transform = sl1(24) },
  unused = { off = true, transform = sl1(16, "none") },
  -- Threads that monitor a tenth; an L1D that fetches what is asked for.
  early_8 = { off = true, transform = sl1(8, nil, 30) },
  early = { off = true, transform = sl1(16, nil, 30) },
  sectors = { sector = 32 },
}

-- For scripts that ask why: S-L1 is fastest with so many threads or more, and
-- how many times as much input these have.
M.many = M.tiny and 256 or 512
M.more = { sl1_mm = 4, sl1_kmeans = 8 }

-- `spec` are arguments of the preset.
function M.machine(off, spec)
  spec = spec or {}
  spec.sm_count = M.sms
  spec.channel_count = math.max(1, 12 * M.sms // 15)
  local gpu = loom.preset.titan_black(spec)
  if off then gpu:each "sm[*].l1d":attach(loom.no_l1 {}) end
  gpu:each "sm[*]":attach(loom.sl1_count {})
  return gpu
end

-- The same work for any number of threads, perhaps `times` as much.
function M.workload(name, count, times)
  local all = count * M.sms
  local p = { threads = all, block = math.min(count, 256), verify = M.verify }
  local bytes = (times or 1) * M.kbytes * M.sms * 1024
  if name == "sl1_mm" then -- 2 n^2 inner words are read
    p.inner = 64
    p.n = math.floor((bytes / 4 / 2 / p.inner) ^ 0.5)
  else
    p.chunk = math.max(1, bytes // all // (step[name] or 1))
  end
  return loom.suite[name](p)
end

local function of_sl1(run) return run.stats "gpu/sm/policy/sl1_count" end

local function part(whole, piece) return whole == 0 and 0 or piece / whole end

M.metrics = {
  cycles = { unit = "cycle", doc = "Cycles of the run",
             value = function(run) return run.cycles end },
  executed = { doc = "Instructions executed",
               value = function(run) return of_sl1(run).all end },
  issued = { doc = "And issued again: for accesses beyond the first, and " ..
                   "bank conflicts of shared memory",
             value = function(run)
    return of_sl1(run).issued + run.stats "gpu/sm/ldst".shared_conflict_cycles
  end },
  l1_hits = { doc = "Hits of the hardware L1 per look-up",
              value = function(run)
    local l1d = run.stats "gpu/sm/l1d"
    return part(l1d.accesses - l1d.bypasses, l1d.hits)
  end },
  hits = { doc = "Hits of S-L1 per access in computation slices",
           value = function(run)
    return part(of_sl1(run).accesses, of_sl1(run).hits)
  end },
  monitoring = { doc = "Share of simulateCache() in instructions",
                 value = function(run)
    return part(of_sl1(run).all, of_sl1(run).monitoring)
  end },
  online = { doc = "Threads on 15 SMs at a time, of the first kernel",
             value = function(run)
    local kernel = run.kernels[1]
    local all = run.stats "gpu/sm".warps * 32 // #run.kernels // M.sms
    local block = math.min(all, 256)
    local ctas = math.min(16, 2048 // block,
                          65536 // ((kernel.registers + 3) // 4 * 4 * block))
    if kernel.shared_bytes > 0 then
      ctas = math.min(ctas, 49152 // kernel.shared_bytes)
    end
    return 15 * math.min(all, ctas * block)
  end },
}

-- The best number of threads for each application and scheme.
function M.best(t) return t.cycles:best("threads", "min") end

function M.at_best(t, column)
  return column:at_best(t.cycles, "threads", "min")
end

function M.speedup(t)
  return M.best(t):normalise({ scheme = "none" }, "inverse")
end

-- An experiment over applications, some of the schemes, and threads; `more` as
-- above.
function M.experiment(spec)
  local values = {}
  for i, name in ipairs(spec.schemes) do
    values[i] = { name = name, value = M.schemes[name] }
  end
  local metrics = { cycles = M.metrics.cycles }
  for _, name in ipairs(spec.metrics or {}) do
    metrics[name] = M.metrics[name]
  end
  for name, metric in next, claims.admission do metrics[name] = metric end
  spec.metrics = metrics
  spec.order = { "bench", "scheme", "threads" }
  spec.axes = { bench = spec.benches or M.benches, scheme = values,
                threads = spec.threads or M.threads }
  local more = spec.more or {}
  spec.schemes, spec.benches, spec.threads, spec.more = nil, nil, nil, nil
  spec.base = function(p)
    local gpu = M.machine(p.scheme.off)
    if p.scheme.sector then
      gpu:each "sm[*].l1d":set { sector_bytes = p.scheme.sector }
    end
    if p.scheme.infinite then
      gpu:each "sm[*].l1d":set { infinite = true }
    end
    return { machine = gpu, stats = claims.stats,
             transform = p.scheme.transform,
             workload = M.workload(p.bench, p.threads, more[p.bench]) }
  end
  spec.differs = spec.differs or M.differs
  return loom.experiment(spec)
end

return M
