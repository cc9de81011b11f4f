-- Transforms: asked once for each kernel and shape, in the order of the
-- script, on a copy; what they insert is executed and timed, and the results
-- stay right (the workloads check them).
local loom = require "warploom"

local function same(what, got, want)
  if got ~= want then
    error(("%s: got %s, expected %s"):format(what, got, want), 0)
  end
end

local function go(name, options, transform)
  return loom.run { machine = loom.preset.gtx480 { sm_count = 2 },
                    workload = loom.suite[name](options),
                    transform = transform }
end

local stats = "gpu/host/policy/stub_transform"
local sizes = { atax = { rows = 128, columns = 24 }, bfs = { nodes = 300 } }
for name, options in pairs(sizes) do
  local plain = go(name, options)
  local warps = plain.stats "gpu/sm".warps
  local one = go(name, options, loom.stub_transform { insert = 3 })
  local s = one.stats(stats)

  same(name .. ": warps", one.stats "gpu/sm".warps, warps)
  same(name .. ": instructions", one.warp_insts, plain.warp_insts + 3 * warps)
  same(name .. ": launches", #one.kernels, #plain.kernels)
  -- bfs launches its kernel again and again: it is rewritten once.
  local kernels, distinct = {}, 0
  for _, kernel in ipairs(one.kernels) do
    if not kernels[kernel.name] then
      kernels[kernel.name], distinct = true, distinct + 1
    end
  end
  same(name .. ": calls", s.rewrites, distinct)
  same(name .. ": inserted", s.inserted_insts, 3 * distinct)
  same(name .. ": broken promises", s.wrong, 0)

  -- Two in a chain: the second one sees what the first one made.
  local two = go(name, options, { loom.stub_transform { insert = 2 },
                                  loom.stub_transform { insert = 5 } })
  same(name .. ": chain", two.warp_insts, plain.warp_insts + 7 * warps)
  same(name .. ": second", two.stats(stats .. "2").inserted_insts,
       5 * distinct)

  -- An answer in text is parsed, and the next one sees what it gave.
  local text = go(name, options,
                  { loom.stub_transform { insert = 2, as_text = true },
                    loom.stub_transform { insert = 5, as_text = true } })
  same(name .. ": as text", text.warp_insts, two.warp_insts)
  same(name .. ": as text, cycles", text.cycles, two.cycles)
  same(name .. ": as text, promises", text.stats(stats .. "2").wrong, 0)

  -- One that changes nothing gives the same run.
  local none = go(name, options, loom.stub_transform {})
  same(name .. ": cycles", none.cycles, plain.cycles)
  same(name .. ": no instructions", none.warp_insts, plain.warp_insts)

  -- The plain run again: a run's transforms are its own.
  same(name .. ": state", go(name, options).digest, plain.digest)
end

-- A host that the script made holds transforms, too.
local gpu = loom.preset.gtx480 { sm_count = 2 }
local first = loom.run { machine = gpu, workload = loom.suite.atax(sizes.atax),
                         transform = loom.stub_transform { insert = 1 } }
gpu.host:attach(loom.stub_transform { insert = 4 })
local again = loom.run { machine = gpu, workload = loom.suite.atax(sizes.atax) }
same("attached to the host", again.warp_insts - first.warp_insts,
     3 * first.stats "gpu/sm".warps)
print "transforms agree"
