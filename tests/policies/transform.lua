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
-- A transform in Lua answers with text; one that writes what the stub inserts
-- gives the stub's run, and one that answers nothing the plain one.
local front = loom.policy {
  name = "front", params = { insert = 0 },
  stats = { kernels = "Kernels that were seen" },
  transform = function(kernel, self)
    self.stats.kernels = self.stats.kernels + 1
    local facts = kernel.facts
    assert(facts.sms == 2 and facts.resident_ctas <= facts.ctas_per_sm)
    assert(kernel.inst[0].op and kernel.inst[kernel.insts - 1].op)
    assert(#kernel.grid == 3 and kernel.block[1] > 0 and kernel.shared == 0)
    if self.params.insert == 0 then return nil end
    local moves = ("\tmov.u32 %front, 7;\n"):rep(self.params.insert)
    local text, found = kernel.text:gsub(
      "(%.entry " .. kernel.name .. "%b()[^{]*{\n)", function(head)
        return head .. "\t.reg .u32 %front;\n" .. moves
      end)
    assert(found == 1)
    return text
  end,
}
for name, options in pairs(sizes) do
  local want = go(name, options, loom.stub_transform { insert = 3 })
  local got = go(name, options, front { insert = 3 })
  same(name .. " in Lua: cycles", got.cycles, want.cycles)
  same(name .. " in Lua: instructions", got.warp_insts, want.warp_insts)
  same(name .. " in Lua: kernels",
       got.stats "gpu/host/policy/front".kernels, want.stats(stats).rewrites)
  same(name .. " in Lua: calls", got.stats "gpu/host/policy/front".lua_calls,
       want.stats(stats).rewrites)
  -- After one in C, which it sees.
  local both = go(name, options, { loom.stub_transform { insert = 2 },
                                   front { insert = 1 } })
  same(name .. " in Lua after C", both.warp_insts, want.warp_insts)
  local none = go(name, options, front)
  same(name .. " in Lua: nothing", none.cycles, go(name, options).cycles)
end
print "transforms agree"
