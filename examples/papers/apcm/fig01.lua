-- Figure 1: what limiting warps does to the miss rate of each of the four
-- loads that access the L1D most.
local common = require "common"

-- Miss rate of the load with the nth most accesses.
local function of_load(n)
  return { doc = ("Miss rate of the load with the most accesses but %d")
                 :format(n - 1), value = function(run)
    local s = run.stats "gpu/sm/ldst/policy/load_analysis"
    local loads = {}
    for i, accesses in pairs(s.load_accesses) do
      if accesses > 0 then
        loads[#loads + 1] = { i, accesses, 1 - s.load_hits[i] / accesses }
      end
    end
    table.sort(loads, function(a, b)
      if a[2] ~= b[2] then return a[2] > b[2] end
      return a[1] < b[1]
    end)
    return loads[n] and loads[n][3] or 0 / 0
  end }
end

-- The fall of the miss rate from no limit to the limit that is fastest.
local function fall(n)
  return function(t)
    local best = t.cycles:which("scheme", "min")
    local name = "load" .. n
    local none = t[name]:at { scheme = "baseline" }
    local out
    for _, scheme in ipairs(common.swl) do
      local here = best:map(function(x) return x == scheme and 1 or 0 end)
      local part = (none - t[name]:at { scheme = scheme }) * here
      out = out and out + part or part
    end
    return out
  end
end

return common.experiment {
  name = "apcm_fig01",
  doc = "Miss rates of the four most frequent loads, with and without a " ..
        "limit of warps",
  benches = common.CS, schemes = common.swl,
  metrics = { cycles = common.cycles, load1 = of_load(1), load2 = of_load(2),
              load3 = of_load(3), load4 = of_load(4) },
  derive = { fall1 = fall(1), fall2 = fall(2), fall3 = fall(3),
             fall4 = fall(4) },
  figures = { { column = "load1", by = "bench" },
              { column = "load2", by = "bench" },
              { column = "load3", by = "bench" },
              { column = "load4", by = "bench" } },
}
