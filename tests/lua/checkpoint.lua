-- Checkpoints: a run that goes on from one has the bits of the run that was
-- not interrupted, whatever policies the machine has; and what is refused.
--
-- A run's digest is of every counter of every part, and of memory.

local H = require "harness"
local policy_places = require "policy_places"
local types = H.import "machine/types"

local test, equal = H.test, H.equal
local file = os.tmpname()

-- `machine`: the text of a function body that returns one; `more`: fields of
-- the run that goes on.
local function both(machine, more, workload)
  return ([[
local loom = require "warploom"
local function machine() %s end
local work = %s
local plain = loom.run { machine = machine(), workload = work }
local first = loom.run { machine = machine(), workload = work,
                         checkpoint = { file = %q, after = 2 } }
assert(first.digest == plain.digest and first.cycles == plain.cycles)
for i = 1, 2 do
  local second = loom.run { machine = machine(), workload = work, from = %q,
                            %s }
  assert(second.digest == plain.digest, "digests differ")
  assert(second.cycles == plain.cycles)
  assert(second.warp_insts == plain.warp_insts)
  assert(#second.kernels == #plain.kernels and #plain.kernels > 2)
  for k, kernel in ipairs(plain.kernels) do
    for _, name in ipairs { "seconds", "start", "stop", "warp_insts" } do
      assert(kernel[name] == second.kernels[k][name], name)
    end
  end
end
]]):format(machine, workload or 'loom.suite.bfs { size = "tiny" }', file, file,
           more or "")
end

local function passes(name, text, options)
  test(name, function()
    local lines, _, status = H.run(text, options)
    equal(status, 0, lines[1] or H.import("script/session").trace or "status")
  end)
end

for _, preset in ipairs { "tiny", "gtx480", "qv100", "h100", "apcm1",
                          "dacache", "loscache" } do
  passes("the same bits on " .. preset,
         both(("return loom.preset.%s {}"):format(preset)))
end

for _, preset in ipairs { "tiny", "gtx480" } do
  passes("the same bits with two threads on " .. preset,
         both(("return loom.preset.%s {}"):format(preset)), { threads = 2 })
end
test("a checkpoint of two threads goes on with any number", function()
  local text = [[
local loom = require "warploom"
loom.run { machine = loom.preset.tiny {}, %s = %s,
           workload = loom.suite.bfs { size = "tiny" } }
]]
  local _, _, status = H.run(text:format("checkpoint",
    ("{ file = %q, after = 2 }"):format(file)), { threads = 2 })
  equal(status, 0)
  for threads = 1, 2 do
    _, _, status = H.run(text:format("from", ("%q"):format(file)),
                         { threads = threads, resume = file })
    equal(status, 0)
  end
end)

local streams = [[function(dev)
  local n = 2000
  local m = dev:module "suite/vectoradd/vectoradd.ptx"
  local a = dev:upload(dev:array("f32", n):random(1, -1, 1), "a")
  local b = dev:upload(dev:array("f32", n):random(2, -1, 1), "b")
  local c = dev:alloc({ type = "f32", count = n }, "c")
  local s, t = dev:stream(), dev:stream()
  local early
  for _ = 1, 3 do
    for _, stream in ipairs { s, t } do
      local from = stream:record()
      if early then stream:wait(early) end -- also for one of before
      early = early or from
      dev:launch(m.vectoradd, { grid = 16, block = 128, stream = stream,
                                args = { a, b, c, n } })
      local to = stream:record()
      stream:sync()
      assert(to:since(from) > 0)
    end
    dev:sync()
  end
  assert(math.abs(c:download()[1] - (a:download()[1] + b:download()[1])) < 1e-6)
end]]
passes("streams and events", both("return loom.preset.tiny {}", "", streams))

------------------------------------------------------------------------------
-- Every policy

local elsewhere = { direct_route = true, minimal_route = true, min = true,
                    partition_route = true }
local preset = { fermi_index = "gtx480" }
local before = { dramsim3_queues = "m.dram.write_entries = 32",
                 ramulator_frfcfs = "m.dram.write_entries = 32" }
local outside = { command_log = true } -- writes a file of its own

for _, type in ipairs(types.policy_list) do
  local name = type.name
  local part, slot = policy_places.of(type)
  if part and not elsewhere[name] and not outside[name] then
    passes("the same bits with " .. name, both(([[
      local m = loom.preset.%s { sm_count = 1 }
      m.driver = loom.host {}
      loom.link(m.driver, m)
      %s
      %s:attach(loom.%s {}%s)
      return m]]):format(preset[name] or "tiny", before[name] or "", part, name,
                         slot and (', "%s"'):format(slot) or "")))
  end
end

------------------------------------------------------------------------------
-- Other policies

-- A machine that is saved as it is and goes on with a policy attached.
local function joined(part, made, slot)
  return ([[
local loom = require "warploom"
local function machine(with)
  local m = loom.preset.tiny { sm_count = 1 }
  m.driver = loom.host {}
  loom.link(m.driver, m)
  if with then %s:attach(%s%s) end
  return m
end
local work = loom.suite.bfs { size = "tiny" }
local first = loom.run { machine = machine(), workload = work,
                         checkpoint = { file = %q, after = 12 } }
local runs = {}
for i = 1, 2 do
  runs[i] = loom.run { machine = machine(true), workload = work, from = %q }
  assert(#runs[i].kernels == #first.kernels)
  for k, kernel in ipairs(first.kernels) do
    assert(k > 12 or kernel.stop == runs[i].kernels[k].stop)
  end
end
assert(runs[1].digest == runs[2].digest and runs[1].cycles == runs[2].cycles)
]]):format(part, made, slot and (', "%s"'):format(slot) or "", file, file)
end

local function refuses(name, text, message, options)
  test(name, function()
    local lines, _, status = H.run(text, options)
    assert(status ~= 0, "it was not refused")
    local last = H.runs()[#H.runs()]
    local said = table.concat(lines, "\n") .. "\n" .. (last and last.reason or "")
    H.has(said, message)
  end)
end

for _, type in ipairs(types.policy_list) do
  local name = type.name
  local part, slot = policy_places.of(type)
  local text = part and joined(part, ("loom.%s {}"):format(name), slot)
  if text and type.joins then
    passes("another policy: " .. name, text)
  end
end

refuses("a policy that cannot begin there",
        joined("m.sm[0].l1d", "loom.xor_index {}"),
        "'gpu[0].sm[0].l1d.policy.xor_index' is another policy than was " ..
        "saved, and 'xor_index' cannot begin on a machine that has run")

------------------------------------------------------------------------------
-- What is refused

local bfs = 'loom.suite.bfs { size = "tiny" }'
local function goes_on(machine, more, workload)
  return ([[
local loom = require "warploom"
loom.run { machine = loom.preset.tiny {}, workload = %s,
           checkpoint = { file = %q, after = 2 } }
loom.run { machine = %s, workload = %s, from = %q, %s }
]]):format(bfs, file, machine, workload or bfs, file, more or "")
end

refuses("another machine", goes_on "loom.preset.tiny { sm_count = 1 }",
        "is of another machine")
refuses("another parameter", goes_on [[(function()
  local m = loom.preset.tiny {}
  m:each "sm[*].l1d":set { hit_latency = 40 }
  return m
end)()]], "is of another machine: it has 'hit_latency = ")
refuses("another program", goes_on("loom.preset.tiny {}", "",
        'loom.suite.atax { size = "tiny" }'),
        "does something else than before the checkpoint")
refuses("another program's data", goes_on("loom.preset.tiny {}", "seed = 2"),
        "is of another machine: it has 'seed 1'")
refuses("callbacks", goes_on("loom.preset.tiny {}",
        'every = { ["1us"] = print }'), "callbacks ('every')")
refuses("sampling", goes_on("loom.preset.tiny {}", "sample = true"),
        "a sampled run")
refuses("a file that is none", ([[
local loom = require "warploom"
local f = io.open(%q, "w") f:write "nothing" f:close()
loom.run { machine = loom.preset.tiny {}, workload = %s, from = %q }
]]):format(file, bfs, file), "is no checkpoint")
refuses("a file that was changed", ([[
local loom = require "warploom"
local w = %s
loom.run { machine = loom.preset.tiny {}, workload = w,
           checkpoint = { file = %q, after = 2 } }
local f = io.open(%q, "rb") local text = f:read "a" f:close()
f = io.open(%q, "wb") f:write(text:sub(1, 5000), "x", text:sub(5002)) f:close()
loom.run { machine = loom.preset.tiny {}, workload = w, from = %q }
]]):format(bfs, file, file, file, file), "is cut off or was changed")

-- Each script is a session of its own, as a process has.
passes("a checkpoint for others", ([[
local loom = require "warploom"
loom.run { machine = loom.preset.tiny {}, workload = %s,
           checkpoint = { file = %q, after = 2 } }
]]):format(bfs, file))
local others = ([[
local loom = require "warploom"
loom.run { machine = loom.preset.tiny {}, workload = %s%s }
]])
refuses("a file of another process",
        others:format(bfs, (", from = %q"):format(file)),
        "was written by another process")
passes("a file that the command line names", others:format(bfs, ""),
       { resume = file })

refuses("statistics of the past", goes_on("loom.preset.tiny {}", "", [[
  { run = function(dev) dev.stats("gpu/sm") end, name = "bfs" }]]),
  "statistics of the time before a checkpoint are not known")

passes("the same bits on two threads",
       both("return loom.preset.tiny {}", "", streams), { threads = 2 })
os.remove(file)
H.finish()
