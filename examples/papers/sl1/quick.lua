-- S-L1's headlines: figure 7, the ten streaming applications with S-L1 and with
-- the hardware L1 relative to no L1, the best of several numbers of threads
-- each; figure 8, S-L1's hit ratio; figure 9, the best number of threads; and
-- figure 10, data in the host's memory, relative to one buffer.
--   warploom sweep examples/papers/sl1/quick.lua -j 2
--   warploom sweep examples/papers/sl1/quick.lua --set sms=15 --set kbytes=8000
-- The other figures are scripts beside this one: warploom papers sl1.
-- A thread monitors 300 accesses, so that small inputs show less of a gain.
-- One SM of the Titan Black with its share of the L2, unless `sms` says more.
-- The same work for any number of threads: `kbytes` of text for each SM.
local loom = require "warploom"
local common = require "common"
local streamed = require "streamed"

local schemes, is_streamed, takes = {}, {}, {}
for _, name in ipairs { "none", "l1", "sl1" } do
  schemes[#schemes + 1] = { name = name, value = common.schemes[name] }
end
for _, scheme in ipairs(streamed.schemes) do
  schemes[#schemes + 1] = scheme
  is_streamed[scheme.name] = true
end
for _, bench in ipairs(streamed.benches) do takes[bench] = true end

local local_schemes = { scheme = { "none", "l1", "sl1" } }
local host_schemes, host_benches = { scheme = {} }, streamed.benches
for i, scheme in ipairs(streamed.schemes) do
  host_schemes.scheme[i] = scheme.name
end
local slowest = streamed.threads[#streamed.threads]

return loom.experiment {
  name = "sl1_quick",
  doc = "S-L1 beside the hardware L1 and none; data in the host's memory",
  order = { "bench", "scheme", "threads" },
  axes = { bench = common.benches, scheme = schemes,
           threads = common.threads },
  filter = function(p)
    return not is_streamed[p.names.scheme] or
           takes[p.bench] and p.threads <= slowest
  end,
  base = function(p)
    if p.scheme.driver then
      return { machine = streamed.machine(), transform = p.scheme.transform,
               workload = streamed.workload(p.bench, p.scheme.driver,
                                            p.threads) }
    end
    return { machine = common.machine(p.scheme.off),
             transform = p.scheme.transform,
             workload = common.workload(p.bench, p.threads) }
  end,
  metrics = {
    cycles = common.metrics.cycles, hits = common.metrics.hits,
    monitoring = common.metrics.monitoring,
  },
  derive = {
    figure7 = function(t)
      return t.cycles:where(local_schemes):best("threads", "min")
        :normalise({ scheme = "none" }, "inverse")
    end,
    figure7_mean = function(t) return t.figure7:mean("bench", "arithmetic") end,
    -- The paper's 1.9: of S-L1 over the hardware L1.
    over_l1 = function(t)
      return t.cycles:where(local_schemes):best("threads", "min")
        :normalise({ scheme = "l1" }, "inverse"):at { scheme = "sl1" }
    end,
    over_l1_mean = function(t) return t.over_l1:mean("bench", "arithmetic") end,
    figure8 = function(t)
      return t.hits:at_best(t.cycles, "threads", "min"):at { scheme = "sl1" }
    end,
    figure8_mean = function(t) return t.figure8:mean("bench", "arithmetic") end,
    figure9 = function(t)
      return t.cycles:where(local_schemes):which("threads", "min")
    end,
    figure10 = function(t)
      return t.cycles:where(host_schemes):where { bench = host_benches }
        :best("threads", "min"):normalise({ scheme = "single" }, "inverse")
    end,
    figure10_mean = function(t)
      return t.figure10:mean("bench", "arithmetic")
    end,
    figure10_over_bigkernel = function(t)
      return (t.figure10:at { scheme = "bigkernel_sl1" } /
              t.figure10:at { scheme = "bigkernel" }):mean "bench"
    end,
  },
}
