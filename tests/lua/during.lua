-- During a run: callbacks every so much simulated time, and statistics between
-- launches.

local H = require "harness"

local test, equal = H.test, H.equal

local function script(more, inside)
  return ([[
local loom = require "warploom"
local seen = {}
local run = loom.run {
  machine = loom.preset.tiny {},
  workload = function(dev)
    local n = 2000
    local m = dev:module("suite/vectoradd/vectoradd.ptx")
    local a = dev:upload(dev:array("f32", n):random(1, -1, 1), "a")
    local b = dev:upload(dev:array("f32", n):random(2, -1, 1), "b")
    local c = dev:alloc({ type = "f32", count = n }, "c")
    local function add()
      return dev:launch(m.vectoradd, { grid = (n + 127) // 128, block = 128,
                                       args = { a, b, c, n } })
    end
    %s
  end,
  %s
}
]]):format(inside or "add() add()", more or "")
end

local function run(text, options)
  local lines, _, status = H.run(text, options)
  return H.runs()[1], status, lines
end

test("callbacks come at every multiple of their period", function()
  local _, status, lines = run(script [[every = { ["100ns"] = function(now)
    seen[#seen + 1] = now.time
    assert(now.number == #seen)
    assert(math.abs(now.time - #seen * 100e-9) < 1e-15)
    assert(now.cycles > 0 and now.warp_insts >= 0)
    assert(now.kernel == "vectoradd" or now.kernel == "")
    assert(now.fraction >= 0 and now.fraction <= 1)
  end }]] .. [[
    local all = math.floor(run.seconds / 100e-9)
    assert(#seen == all and all > 5, #seen)
  ]])
  equal(status, 0, lines[1] or "status")
end)

test("what happened since the last call adds up", function()
  local _, status, lines = run(script [[every = {
    ["100ns"] = function(now)
      local last = now.last "gpu/sm"
      seen.insts = (seen.insts or 0) + last.warp_insts
      local all = now.stats "gpu/sm".warp_insts
      assert(seen.insts == all and all == now.warp_insts)
      local slots = 0
      for _, n in pairs(last.issue_slots) do slots = slots + n end
      seen.slots = (seen.slots or 0) + slots
      if last.cycles > 0 then
        assert(math.abs(last.warp_ipc * last.cycles - last.warp_insts) < 1e-6)
      end
      local h = now.last("gpu/sm/ldst").load_latency
      seen.loads = (seen.loads or 0) + h.count
      assert(seen.loads == now.stats("gpu/sm/ldst").load_latency.count)
    end,
    ["250ns"] = function(now)
      seen.other = (seen.other or 0) + now.last "gpu[0].sm[0]".warp_insts
      assert(seen.other == now.stats "gpu[0].sm[0]".warp_insts)
    end }]] .. "assert(seen.insts > 0 and seen.other > 0 and seen.slots > 0)")
  equal(status, 0, lines[1] or "status")
end)

test("a callback stops the run, which is whole", function()
  local file = os.tmpname() .. ".h5"
  local r, status = run(script(('stats = { file = %q },'):format(file) .. [[
    every = { ["100ns"] = function(now)
      if now.number == 3 then
        now:snapshot "three"
        now:stop "enough was seen"
      end
    end }]]) .. "assert(run.status == 'cut' and run.reason == " ..
    "'enough was seen')")
  equal(status, 0)
  equal(r.status, "cut")
  equal(r.seconds, 300e-9)
  local reader = H.import "look/results".open(file)
  local labels = {}
  for _, sample in ipairs(reader:samples()) do
    labels[#labels + 1] = sample.label or sample
  end
  equal(tostring(labels[1]), "three")
  equal(tostring(labels[2]), "end")
  reader:close()
  os.remove(file)
end)

test("callbacks change no number", function()
  local digests = {}
  for i, more in ipairs { "", [[every = { ["30ns"] = function(now)
      seen[#seen + 1] = now.stats "gpu/l2".hits + now.last "gpu/l2".misses
    end }]] } do
    for _, threads in ipairs { 1, 2 } do
      local r, status = run(script(more), { threads = threads })
      equal(status, 0)
      digests[#digests + 1] = r.digest .. r.cycles
      equal(digests[#digests], digests[1], ("digest %d"):format(i))
    end
  end
end)

test("a host program asks between launches", function()
  local _, status, lines = run(script("", [[
    assert(dev.stats "gpu/sm".warp_insts == 0)
    local first = dev:mark()
    local k = add()
    local one = dev.stats "gpu/sm".warp_insts
    assert(one == k.warp_insts and one > 0)
    local second = dev:mark()
    add()
    assert(dev.stats("gpu/sm", first).warp_insts == 2 * one)
    assert(dev.stats("gpu/sm", second).warp_insts == one)
    assert(dev.stats("gpu/sm").warp_insts == 2 * one)
    local l1 = dev.stats("gpu/sm/l1d", second)
    assert(l1.hit_ratio == l1.hits / l1.lookups or l1.lookups == 0)
    dev:snapshot "mine"
    local calls = 0
    dev:every("50ns", function(now)
      calls = calls + 1
      if calls == 1 then assert(now.last "gpu/sm".warp_insts < one) end
    end)
    add()
    assert(calls > 2)
  ]]))
  equal(status, 0, lines[1] or "status")
end)

test("functional runs have no time, and no statistics", function()
  local _, status, lines = run(script([[every = { ["10ns"] = function()
      error "called" end }]], [[
    local mark = dev:mark()
    add()
    assert(dev.stats "gpu/sm".warp_insts == 0)
    assert(dev.stats("gpu/sm", mark).warp_insts == 0)
  ]]), { functional = true })
  equal(status, 0, lines[1] or "status")
end)

test("a file has the statistics that are chosen", function()
  local file = os.tmpname() .. ".h5"
  local r, status = run(script(('stats = { file = %q, select = { ' ..
    '"gpu.sm.warp_ipc", "**.l1d.hits" } }'):format(file)))
  equal(status, 0)
  local reader = H.import "look/results".open(file)
  local names = {}
  for _, stat in ipairs(reader:stats()) do names[#names + 1] = stat.name end
  table.sort(names)
  -- With what the ratio is made of.
  equal(table.concat(names, " "), "gpu.sm.cycles gpu.sm.l1d.hits " ..
        "gpu.sm.warp_insts gpu.sm.warp_ipc")
  reader:close()
  os.remove(file)
  equal(r.digest, (run(script())).digest, "the digest")
end)

local function mistake(text, want)
  local lines, _, status = H.run(text)
  local told = table.concat(lines, "\n")
  local last = H.runs()[1]
  if last then told = told .. "\n" .. tostring(last.reason) end
  equal(status ~= 0, true, "a failure")
  H.has(told, want)
end

test("mistakes are told with their lines", function()
  mistake(script [[every = { ["10"] = print }]], "'every' is \"10\"")
  mistake(script [[every = { ["10us"] = 3 }]],
          "'every' has 3 for \"10us\", expected a function")
  mistake(script [[every = print]], "'every' is")
  mistake(script [[every = { ["100ns"] = function() error "mine" end }]],
          "mine")
  mistake(script [[every = { ["100ns"] = function(now)
    return now.stats "gpu/sm".warp_instss end }]], "") -- told on stderr
  mistake(script [[every = { ["100ns"] = function(now)
    return now.sttas end }]], "a callback's argument has no 'sttas'")
  mistake(script("", [[dev:every("100ns", function() add() end) add()]]),
          "a callback reads; it cannot wait for the machine")
  mistake(script("", [[dev.stats("gpu/sm", 3)]]),
          "stats: got 3, expected a mark")
  mistake(script("", [[dev:every("100", print)]]), "every: got")
  mistake(script [[stats = { file = "x.h5", select = 3 }]],
          "'stats.select' is 3, expected a pattern")
  mistake(script [[stats = { file = "x.h5", select = "gpu.smm.*" }]],
          "pattern 'gpu.smm.*' matches no")
end)

H.finish()
