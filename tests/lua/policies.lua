-- Policies in Lua: what may be declared, what is refused, what functions are
-- told, and what happens when one fails.

local H = require "harness"
local test, equal = H.test, H.equal

local function declared(text)
  return (H.run('local loom = require "warploom"\n' .. text,
                { mode = "check" }))
end

local mistakes = {
  { "no name", "loom.policy { admit = function() end }",
    't.lua:2: policy: needs a name, a lower-case word: loom.policy { name = "mine", .. }' },
  { "a name that exists", 'loom.policy { name = "lru", admit = print }',
    "t.lua:2: policy lru: there is 'lru' already in this build; choose another name" },
  { "a name of the module", 'loom.policy { name = "run", admit = print }',
    "t.lua:2: policy run: there is 'run' already in this build; choose another name" },
  { "no question", 'loom.policy { name = "mine" }',
    "t.lua:2: policy mine: answers no question; the hooks are observe, scheduler, throttle, coalesce, order, admit, allocation, candidates, replacement, set_index, power, ldst_mark, cache_mark, dispatch, routing, arbiter, schedule, page, commands, map, transform" },
  { "a hook misspelt", 'loom.policy { name = "mine",\n  admitt = print, admit = print }',
    "t.lua:3: policy mine: a policy has no 'admitt'; did you mean 'admit'?" },
  { "a question misspelt", 'loom.policy { name = "mine", replacement = {\n  victom = print } }',
    "t.lua:2: policy mine: 'replacement' needs a function 'victim'",
    "t.lua:3: policy mine: 'replacement' has no 'victom'; did you mean 'victim'?" },
  { "not a function", 'loom.policy { name = "mine", replacement = { victim = 3 } }',
    "t.lua:2: policy mine: 'replacement.victim' is 3, expected a function" },
  { "an event misspelt", 'loom.policy { name = "mine", observe = { evikt = print } }',
    "t.lua:2: policy mine: there is no event 'evikt'; did you mean 'evict'?" },
  { "a parameter out of its range", 'loom.policy { name = "mine", admit = print,\n  params = { k = { default = 9, max = 4 } } }',
    "t.lua:3: policy mine: the default of parameter 'k' is 9, expected a whole number 0..4" },
  { "a parameter of no type", 'loom.policy { name = "mine", admit = print, params = { k = { required = true } } }',
    't.lua:2: policy mine: parameter \'k\' has type "nil", expected one of boolean, integer, number, string, list' },
  { "a wrong unit", 'loom.policy { name = "mine", admit = print, stats = { x = { unit = "miles" } } }',
    't.lua:2: policy mine: unit is "miles", expected one of 1, byte, cycle, Hz, s, request, warp_inst, thread_inst, inst/cycle, byte/s, cycle/request, event, flit, line, warp, cta, J, W' },
  { "a wrong kind", 'loom.policy { name = "mine", admit = print, stats = { x = { kind = "histgram" } } }',
    "t.lua:2: policy mine: statistic 'x' is a histgram, expected one of counter, gauge, vector, array, histogram, ratio, rate; did you mean 'histogram'?" },
  { "a ratio of nothing", 'loom.policy { name = "mine", admit = print, stats = { hits = "Hits", x = { kind = "ratio", numerator = "hits", denominator = "hit" } } }',
    "t.lua:2: policy mine: the denominator of 'x' is \"hit\", expected the name of a counter; did you mean 'hits'?" },
  { "declared twice", 'for _ = 1, 2 do\n  loom.policy { name = "mine", admit = print }\nend',
    "t.lua:3: policy mine: 'mine' is declared twice, first at line 3; declare it once and call it: mine { .. }" },
  { "a parameter that it does not have", 'local mine = loom.policy { name = "mine", admit = print, params = { k = 1 } }\nmine { kk = 2 }',
    "t.lua:3: mine: there is no parameter 'kk' (it was given 2); did you mean 'k'?" },
  { "a value out of range", 'local mine = loom.policy { name = "mine", admit = print, params = { k = { default = 1, max = 4 } } }\nmine { k = 5 }',
    "t.lua:3: mine: parameter 'k' is 5, expected a whole number 0..4" },
  { "a slot that asks something else", 'local mine = loom.policy { name = "mine", admit = print }\nloom.preset.tiny {}.dispatch = mine',
    "t.lua:3: gpu: slot 'dispatch' asks 'dispatch', which policy 'mine' does not answer; these do: round_robin" },
  { "a transform at a cache", 'local mine = loom.policy { name = "mine", transform = print }\nlocal gpu = loom.preset.tiny {}\ngpu.sm[0].l1d:attach(mine)\nloom.run { machine = gpu, workload = loom.suite.vectoradd {} }',
    "t.lua:4: gpu[0].sm[0].l1d: policy 'mine' answers 'transform', which no slot of gpu[0].sm[0] asks; these do: host.transform" },
}
for _, case in ipairs(mistakes) do
  test("refused: " .. case[1], function()
    H.lines(declared(case[2]), table.move(case, 3, #case, 1, {}))
  end)
end

-- A small program with the policy at the L1 of the tiny machine.
local function with(policy, more)
  return ([[
local loom = require "warploom"
local mine = loom.policy {
%s
}
local gpu = loom.preset.tiny {}
gpu:each "sm[*].l1d":attach(mine)
local n = 1000
local run = loom.run {
  machine = gpu,
  workload = function(dev)
    local m = dev:module("suite/vectoradd/vectoradd.ptx")
    local x = dev:upload(dev:array("f32", n):fill(1), "x")
    local y = dev:alloc({ type = "f32", count = n }, "y")
    dev:launch(m.vectoradd, { grid = 8, block = 128, args = { x, x, y, n } })
    dev:check(y:download():sum() == 2 * n, "wrong sum")
  end,
}
%s
]]):format(policy, more or "")
end

-- Status and the reason why the run ended.
local function reason(policy, options)
  local stderr = io.stderr
  local lines, warnings, status = H.run(with(policy), options)
  io.stderr = stderr
  local run = H.runs()[1]
  return run and run.reason or table.concat(lines, "\n"), status, warnings
end

local failing = {
  { "an error", 'name = "mine", admit = function(access)\n  local x = access.block + nil\nend',
    "t.lua:4: attempt to perform arithmetic on a nil value (in 'admit.admit' of gpu[0].sm[0].l1d.policy.mine)" },
  { "a field misspelt", 'name = "mine", admit = function(access)\n  return access.blok > 0\nend',
    "t.lua:4: an access has no 'blok'; did you mean 'block'? (in 'admit.admit' of gpu[0].sm[0].l1d.policy.mine)" },
  { "a field written", 'name = "mine", admit = function(access)\n  access.block = 0\nend',
    "t.lua:4: what a policy is told is read only (in 'admit.admit' of gpu[0].sm[0].l1d.policy.mine)" },
  { "a wrong answer", 'name = "mine",\nadmit = function() return "maybe" end',
    "t.lua:4: answered maybe, expected one of nil, \"lookup\", \"bypass\" (in 'admit.admit' of gpu[0].sm[0].l1d.policy.mine)" },
  { "a wrong size", 'name = "mine",\nadmit = function() return "bypass", 96 end',
    "t.lua:4: answered a size of 96, expected 32, 64 or 128 (in 'admit.admit' of gpu[0].sm[0].l1d.policy.mine)" },
  { "a set that is none", 'name = "mine",\nset_index = function(_, self) return self.shape.sets end',
    "t.lua:4: answered %d, expected a whole number 0..%d (in 'set_index.index' of gpu[0].sm[0].l1d.policy.mine)" },
  { "a counter that shrinks", 'name = "mine", stats = { x = "X" }, observe = { access = function(_, self)\n  self.stats.x = 5; self.stats.x = 4\nend }',
    "t.lua:4: counter 'x' only grows: it is 5, got 4 (in 'access' of gpu[0].sm[0].l1d.policy.mine)" },
  { "a statistic misspelt", 'name = "mine", stats = { x = "X" }, observe = { access = function(_, self)\n  self.stats.y = 5\nend }',
    "t.lua:4: there is no statistic 'y' (in 'access' of gpu[0].sm[0].l1d.policy.mine)" },
  { "a view kept", 'name = "mine", observe = { access = function(e, self)\n  if self.old then return self.old.set end\n  self.old = e.request\nend }',
    "t.lua:4: a request is known during the call only; keep its fields (in 'access' of gpu[0].sm[0].l1d.policy.mine)" },
  { "a call without an end", 'name = "mine", admit = function()\n  while true do end\nend',
    "t.lua:4: the call does not end: it ran a hundred million instructions (in 'admit.admit' of gpu[0].sm[0].l1d.policy.mine)" },
  { "an index out of an array", 'name = "mine", stats = { x = { kind = "array", axis = "set", count = 2 } }, observe = { access = function(e, self)\n  self.stats.x[2] = 1\nend }',
    "t.lua:4: statistic 'x' has no set '2' (in 'access' of gpu[0].sm[0].l1d.policy.mine)" },
  { "waking without a timer", 'name = "mine", admit = function(_, self)\n  self:wake(self:now() + 1)\nend',
    "t.lua:4: bad argument #1 to 'wake' (the policy has no function 'timer') (in 'admit.admit' of gpu[0].sm[0].l1d.policy.mine)" },
  { "an error in init", 'name = "mine", admit = print, init = function()\n  error "no luck"\nend',
    "t.lua:4: no luck (in 'init' of gpu[0].sm[0].l1d.policy.mine)" },
}
local rewriting = {
  { "a number", "function() return 5 end", 1,
    "t.lua:3: answered 5, expected PTX text or nil (in 'transform.rewrite' of gpu[0].host.policy.mine)" },
  { "a zero byte", "function() return 'a\\0b' end", 1,
    "t.lua:3: answered text with a zero byte at 1 (in 'transform.rewrite' of gpu[0].host.policy.mine)" },
  { "an error", "function(kernel) return kernel.texts.x end", 1,
    "t.lua:3: attempt to index a nil value (field 'texts') (in 'transform.rewrite' of gpu[0].host.policy.mine)" },
  { "text that is not PTX", 'function(kernel) return (kernel.text:gsub("%.reg", ".rag", 1)) end', 3,
    "suite/vectoradd/vectoradd.ptx after gpu[0].host.policy.mine:13: found '.rag' where a declaration or an instruction is expected" },
  { "no text", "function() return '' end", 3,
    "suite/vectoradd/vectoradd.ptx after gpu[0].host.policy.mine:1: the text ends where '.version' is expected" },
  { "another kernel", 'function(kernel) return (kernel.text:gsub("vectoradd", "other")) end', 3,
    "'gpu[0].host.policy.mine' left no kernel 'vectoradd'" },
}
for _, case in ipairs(rewriting) do
  test("rewriting: " .. case[1], function()
    local script = with('name = "mine", transform = ' .. case[2])
    script = script:gsub('gpu:each "sm%[%*%]%.l1d":attach%(mine%)', "")
    script = script:gsub("machine = gpu,", "machine = gpu, transform = mine,")
    local lines, _, status = H.run(script)
    local run = H.runs()[1]
    local why = run and run.reason or table.concat(lines, "\n")
    if not why:find(case[4], 1, true) then
      error(("got      %s\n  expected %s"):format(why, case[4]))
    end
    equal(status, case[3], "status")
  end)
end
for _, case in ipairs(failing) do
  test("ends the run: " .. case[1], function()
    local why, status = reason(case[2])
    local want = case[3]
    if want:find("%d", 1, true) then
      assert(why:find("t.lua:4: answered %d+, expected a whole number 0..%d+"),
             why)
    elseif not why:find(want, 1, true) then
      error(("got      %s\n  expected %s"):format(why, want))
    end
    equal(status, 1, "status")
  end)
end

test("one thread, with a warning", function()
  local policy = 'name = "mine", admit = function() end'
  local _, status, warnings = reason(policy, { threads = 4 })
  equal(status, 0)
  equal(warnings[1], "t.lua:2: policy 'mine' is in Lua, so the machine has " ..
        "one thread instead of 4")
end)

test("parameters, statistics of every kind, memory of its own", function()
  local lines, _, status = H.run(with([[
name = "mine", doc = "All kinds",
params = { k = { default = 3, min = 1, max = 9, unit = "cycle", doc = "K" },
           on = true, ratio = 0.5, kind = { default = "a", choices = { "a" } },
           list = { default = { 1, 2 }, type = "list" } },
stats = {
  seen = { unit = "request", doc = "Accesses" }, level = { kind = "gauge" },
  by_kind = { kind = "vector", axis = "kind", keys = { "load", "store" } },
  by_set = { kind = "array", axis = "set", count = 64 },
  ages = { kind = "histogram", unit = "cycle" },
  share = { kind = "ratio", numerator = "seen", denominator = "all" },
  all = "All", speed = { kind = "rate", numerator = "seen" },
},
init = function(self)
  local p = self.params
  assert(p.k == 3 and p.on == true and p.ratio == 0.5 and p.kind == "a")
  assert(#p.list == 2 and p.list[2] == 2)
  self.first = true
end,
bind = function(hook, self)
  assert(hook == "cache_observe" and self.shape.ways >= 1)
  self.bound_to = self.path
end,
observe = { access = function(e, self)
  local s = self.stats
  assert(self.bound_to == self.path)
  s.seen, s.all = s.seen + 1, s.all + 2
  s.level = 7
  s.level = 6
  s.by_kind[e.request.kind] = s.by_kind[e.request.kind] + 1
  s.by_set[e.set] = s.by_set[e.set] + 1
  s.ages:add(e.now)
  assert(e.kind == "access" and e.request.block == e.request.block // 128 * 128)
  assert(e.kernel == nil)
end },]], [[
local s, l1 = run.stats "gpu/sm/l1d/policy/mine", run.stats "gpu/sm/l1d"
assert(s.seen == l1.accesses and s.seen > 0)
assert(s.share == 0.5 and s.level == 2 * 6)
assert(s.speed > 0)
assert(s.by_kind.load + s.by_kind.store == s.seen)
assert(s.ages.count == s.seen and s.lua_calls == s.seen + 4)
]]))
  H.lines(lines, {})
  for _, run in ipairs(H.runs()) do assert(run.status == "complete") end
  equal(status, 0)
end)

test("a timer, random numbers, lines of the cache, called with parameters",
     function()
  local lines, _, status = H.run([[
local loom = require "warploom"
local mine = loom.policy {
  name = "mine", params = { every = 10 }, stats = { ticks = "Timers" },
  admit = function(access, self)
    if not self.awake then
      self.awake = true
      self:wake(self:now() + self.params.every)
    end
    local n = self:random(8)
    assert(n >= 0 and n < 8 and self:random() < 1)
    if self:valid(0, 0) then assert(self:block(0, 0) % 128 == 0) end
    assert(type(self:reserved(0, 0)) == "boolean")
  end,
  timer = function(now, self)
    self.stats.ticks = self.stats.ticks + 1
    if self.stats.ticks < 5 then self:wake(now + self.params.every) end
  end,
  check = function(self)
    return self.stats.ticks == 5, "not five timers"
  end,
}
local ends = {}
for i, p in ipairs { mine, mine { every = 20 } } do
  local gpu = loom.preset.tiny { sm_count = 1 }
  gpu.sm[0].l1d:attach(p)
  local r = loom.run { machine = gpu, workload = loom.suite.vectoradd {} }
  ends[i] = r.stats "gpu/sm/l1d/policy/mine".ticks
end
assert(ends[1] == 5 and ends[2] == 5)
local plain = loom.run { machine = loom.preset.tiny { sm_count = 1 },
                         workload = loom.suite.vectoradd {} }
]])
  H.lines(lines, {})
  equal(status, 0)
end)

test("a law that a policy breaks fails the run", function()
  local why, status = reason('name = "mine", admit = function() end, ' ..
                             'check = function() return false, "unfair" end')
  equal(status, 3)
  equal(why, "a conservation law is broken")
end)

test("what it would store", function()
  local cost = H.import "policy/cost"
  H.run([[
local loom = require "warploom"
local mine = loom.policy { name = "mine", params = { k = 3 },
  admit = function() end,
  cost = function(shape, params)
    return { { name = "table", count = shape.sets, bits = params.k } }
  end }
local gpu = loom.preset.tiny { sm_count = 1 }
gpu.sm[0].l1d:attach(mine { k = 5 })
return gpu
]], { mode = "check" })
  local of = cost.of(H.machines()[1])
  local found
  for _, item in ipairs(of) do
    if item.policy.type == "mine" then found = item end
  end
  equal(found.parts.total, found.shape.sets * 5)
end)

H.finish()
