-- Machines without time: results, files, seeds, replays.

local H = require "harness"
local core = H.import "core"
local test, equal = H.test, H.equal

-- `fields` of the locality, `more` of loom.run, `after` it.
local function script(fields, more, after)
  return ([[
local loom = require "warploom"
local function l1(policy)
  return loom.cache { size_bytes = "1KiB", ways = 4,
                      set_index = loom.ipoly_index {}, replacement = policy }
end
local run = loom.run {
  machine = loom.locality { sms = 3, %s },
  workload = loom.suite.bfs { size = "tiny" },
  %s
}
%s
]]):format(fields, more or "", after or "")
end

local function run(text, options)
  local lines, _, status = H.run(text, options)
  return H.runs()[1], status, lines
end

test("all caches see all accesses, and policies count", function()
  local r, status, lines = run(script("lru = l1(loom.lru {}), dip = l1(loom.dip {}), "
    .. "min = l1(loom.min {})", nil, [[
    local all, lru = run.stats "locality", run.stats "locality/lru"
    local dip, min = run.stats "locality/dip", run.stats "locality/min"
    assert(all.warp_insts == run.warp_insts and run.cycles == 0)
    assert(all.launches == #run.kernels and #run.verdicts == 1)
    for _, one in ipairs { lru, dip, min } do
      assert(one.accesses_by_kind.load == all.lines and all.lines > 1000)
      assert(one.hits + one.misses == one.accesses)
    end
    local function hits(one) return one.hits_by_kind.load end
    assert(hits(min) > hits(lru) and hits(min) > hits(dip))
    assert(run.caches.min.hits == hits(min))
    local policy = run.stats "locality/dip/policy/dip"
    assert(policy.leader_misses.lru + policy.leader_misses.bip +
           policy.follower_misses.lru + policy.follower_misses.bip ==
           dip.misses_by_kind.load)
    assert(run.stats("locality[0].lru[1]").accesses > 0)
  ]]))
  H.lines(lines, {})
  equal(status, 0, "status")
  equal(r.status, "complete")
end)

test("functional runs of it are the same, and a list is as good", function()
  local a = run(script "l1 = l1(loom.drrip {})")
  local b = run(script "l1 = l1(loom.drrip {})", { functional = true })
  local c = run(script "l1 = loom.list(3, l1(loom.drrip {}))")
  equal(a.digest, b.digest)
  equal(a.digest, c.digest)
end)

test("its random numbers are the run's", function()
  local text = script "l1 = l1(loom.random_replacement {})"
  local a, b = run(text, { seed = 1 }), run(text, { seed = 1 })
  local c = run(text, { seed = 2 })
  equal(a.digest, b.digest)
  assert(a.caches.l1.hits ~= c.caches.l1.hits)
end)

test("results are in a file", function()
  local file = os.tmpname() .. ".h5"
  local more = ("stats = { file = %q }"):format(file)
  local r, status = run(script("l1 = l1(loom.dip {})", more))
  equal(status, 0, "status")
  equal(r.file, file)
  local count, problems = core.walk(file)
  assert(count > 20 and #problems == 0, problems[1])
  local digest = core.results_digest(file)
  run(script("l1 = l1(loom.dip {})", more))
  equal(core.results_digest(file), digest)
  os.remove(file)
end)

test("a recording gives the same", function()
  local file = os.tmpname() .. ".wlt"
  local text = script "l1 = l1(loom.min {})"
  local direct = run(text, { record = file })
  local again, status = run((text:gsub("loom.suite.bfs %b{}",
    function() return ("loom.replay %q"):format(file) end)))
  equal(status, 0, "status")
  equal(again.caches.l1.hits, direct.caches.l1.hits)
  equal(again.caches.l1.accesses, direct.caches.l1.accesses)
  os.remove(file)
end)

test("an error of a cache ends the run", function()
  local text = script "l1 = loom.cache { infinite = true, infinite_lines = 64 }"
  local r = run((text:gsub("sms = 3", "sms = 1")))
  equal(r.status, "workload")
  assert(r.reason:find("infinite_lines", 1, true), r.reason)
end)

test("a cache with time does not know the future", function()
  local lines = H.run [[
local loom = require "warploom"
loom.run { workload = loom.suite.atax { size = "tiny" },
  machine = loom.preset.tiny { sm = { l1d = { future = true } } } }
]]
  assert(table.concat(lines, "\n"):find("loom.locality", 1, true),
         table.concat(lines, "\n"))
end)

H.finish()
