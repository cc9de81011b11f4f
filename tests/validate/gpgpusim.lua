-- The calibration programs in time, beside what GPGPU-Sim 4.2 reported.
--   warploom run tests/validate/gpgpusim.lua --set csv=gpgpusim.csv
local loom = require "warploom"
local reference = require "reference"

local root = loom.option { name = "root", default = ".",
                           doc = "The source tree" }
local csv = loom.option { name = "csv", default = "gpgpusim.csv",
                          doc = "Measurements of the other simulator" }

-- measured[program][index][stat]
local measured = {}
for line in io.lines(csv) do
  local program, index, _, config, stat, value = line:match(
    "^([^,]*),([^,]*),([^,]*),([^,]*),([^,]*),([^,]*)$")
  index = math.tointeger(index)
  if config == "gtx480" and index then
    measured[program] = measured[program] or {}
    measured[program][index] = measured[program][index] or {}
    measured[program][index][stat] = tonumber(value)
  end
end

local function gpu() return loom.preset.gtx480 {} end

print(("%-14s %3s %10s %10s %6s | %8s %8s %7s %7s | %8s %8s"):format(
  "program", "#", "cycles", "GPGPU-Sim", "ratio", "L1D acc", "theirs",
  "miss %", "theirs", "L2 acc", "theirs/4"))
local total, count = 0, 0
for _, name in ipairs(reference.programs) do
  local last = { cycles = 0, acc = 0, miss = 0, l2 = 0, pend = 0 }
  local run
  local function after(index, launch)
    local m = measured[name][index]
    local l1, l2 = run.stats "gpu/sm/l1d", run.stats "gpu/l2"
    local now = { acc = l1.accesses - l1.bypasses, miss = l1.misses,
                  l2 = l2.accesses }
    local cycles = launch.seconds * 700e6
    local ratio = cycles / m.cycles
    total, count = total + math.abs(ratio - 1), count + 1
    local acc, miss = now.acc - last.acc, now.miss - last.miss
    print(("%-14s %3d %10.0f %10d %6.2f | %8d %8d %7.1f %7.1f | %8d %8d")
      :format(name, index, cycles, m.cycles, ratio, acc,
              m["L1D.accesses"] or 0, 100 * miss / math.max(acc, 1),
              100 * (m["L1D.misses"] or 0) / math.max(m["L1D.accesses"] or 0,
                                                      1),
              now.l2 - last.l2, (m["L2.accesses"] or 0) // 4))
    last = now
  end
  local workload = reference.workload(root, name, after)
  local inner = workload.run
  loom.run { machine = gpu(), guard = 0, workload = function(dev, p)
    run = dev.run
    inner(dev, p)
  end }
end
print(("mean absolute error of cycles: %.1f %% over %d launches"):format(
  100 * total / count, count))
