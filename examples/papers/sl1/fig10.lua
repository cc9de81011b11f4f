-- Figure 10: data in the host's memory, with one buffer, two, BigKernel's
-- pipeline, and that with S-L1; relative to one buffer.  The paper's CPU is
-- another machine; `cmake --build BUILD --target sl1_figure10` times this
-- host's beside it, which is not comparable.
local loom = require "warploom"
local streamed = require "streamed"

local derive = {
  speedup = function(t)
    return t.seconds:best("threads", "min")
      :normalise({ scheme = "single" }, "inverse")
  end,
  mean = function(t) return t.speedup:mean("bench", "arithmetic") end,
  over_bigkernel = function(t)
    return t.seconds:best("threads", "min")
      :normalise({ scheme = "bigkernel" }, "inverse")
      :at { scheme = "bigkernel_sl1" }
  end,
  mean_over_bigkernel = function(t)
    return t.over_bigkernel:mean("bench", "arithmetic")
  end,
}

return loom.experiment {
  name = "sl1_fig10",
  doc = "Data in the host's memory",
  order = { "bench", "scheme", "threads" },
  axes = { bench = streamed.benches, scheme = streamed.schemes,
           threads = streamed.threads },
  base = function(p)
    return { machine = streamed.machine(), transform = p.scheme.transform,
             workload = streamed.workload(p.bench, p.scheme.driver,
                                          p.threads) }
  end,
  metrics = {
    seconds = { unit = "s", doc = "Simulated time",
                value = function(run) return run.seconds end },
    rate = { unit = "GB/s", doc = "Data to the device, of 15 SMs",
             value = streamed.rate },
  },
  derive = derive,
  figures = { { column = "speedup", by = "bench", mean = "arithmetic",
                y = "Speedup over a single buffer" } },
  differs = "the paper does not name its four applications and gives no " ..
    "sizes; BigKernel also interleaves what it gathers, so that accesses " ..
    "coalesce, and needs more registers: the kernels here are the suite's",
}
