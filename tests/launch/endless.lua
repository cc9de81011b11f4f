-- Every kind of loop ends by the same budget of warp instructions, or sooner
-- where it can be told that it never will, and is named; and what is only
-- long does not.

local H = require "harness"

local BUDGET = 40000

local text = [[
local loom = require "warploom"
loom.run { machine = loom.preset.gtx480 { sm_count = 2 }, budget = %s,
  workload = function(dev)
    local module = dev:module "endless.ptx"
    local buffer = dev:alloc(4096, "buffer")
    local linear = dev:upload(dev:array("u32", 64), "linear")
    dev:bind("table", dev:texture { buffer = linear, format = "u32" })
    dev:launch(module.%s, { grid = %d, block = %d, args = { buffer }%s })
  end }
]]

-- Status and reason of a launch.
local function launch(kernel, options)
  options = options or {}
  local problems, _, status = H.run(text:format(
    options.run or BUDGET, kernel, options.grid or 2, options.block or 64,
    options.more or ""), { functional = options.timed == nil,
    budget = options.budget })
  if problems[1] then error(problems[1], 0) end
  local run = H.runs()[1]
  return status, run.reason, run
end

local function ends_by(name, kernel, options, patterns)
  H.test(name, function()
    local status, reason = launch(kernel, options)
    H.equal(status, 3, "status")
    for _, pattern in ipairs(patterns) do
      if not reason:find(pattern) then
        error(("'%s' is not in: %s"):format(pattern, reason), 0)
      end
    end
  end)
end

local budget = { "kernel '[a-z_]+', .*pc 0x%x+ %(.*endless.ptx:%d+: '.*'%), " ..
                 "CTA 0, warp %d: 40000 warp instructions of this CTA, now",
                 "it is endless", "raise its 'budget'" }

-- Lines of the loop, where there is one.
local by_budget = {
  computes = "in the loop of lines 22 to 25 %(source line 7%):",
  nested = "in the loop of lines 32 to 38:",
  atomic = "loop of lines 47 to 49:", reduction = "loop of lines 57 to 58:",
  shared_atomic = "the loop of", barriers = "the loop of",
  waits_counted = "the loop of",
  loads = "the loop of", stores = "the loop of", textures = "the loop of",
  copies = "the loop of", votes = "the loop of", sleeps = "the loop of",
  clocks = "the loop of", arrives = "the loop of", indexed = "the loop of",
  diverges = "the loop of", prints = "the loop of", allocates = "the loop of",
  calls = "kernel 'calls'.*the loop of",
  calls_indirectly = "kernel 'calls_indirectly'.*the loop of",
  called = "in 'stays'.*the loop of", recurses_wide = "in 'again'.*now here",
  irreducible = "now here",
}
local names = {}
for name in pairs(by_budget) do names[#names + 1] = name end
table.sort(names)
for _, name in ipairs(names) do
  local patterns = table.move(budget, 1, #budget, 1, {})
  patterns[#patterns + 1] = by_budget[name]
  ends_by(name, name, {}, patterns)
  ends_by(name .. ", by itself", name, { grid = 1, block = 1 }, patterns)
end

-- What is known never to end is told sooner, if warps have turns.
for _, name in ipairs { "itself", "locks", "waits", "waits_shared",
                       "waits_mbarrier" } do
  ends_by(name, name, { run = 10000000 },
          { "an endless loop: it .*" })
end
ends_by("recurses", "recurses", {},
        { "stack of %d+ bytes per thread overflows", "in 'deeper'" })

-- CTAs that wait take turns with later ones: they have one budget together.
ends_by("barrier_waits", "barrier_waits", {},
        { "40000 warp instructions of the CTAs that take turns, now in " ..
          "the loop of", "it is endless; if" })
ends_by("barrier_waits, by itself", "barrier_waits", { grid = 1, block = 1 },
        { "an endless loop: it waits .* all others have ended" })

-- So have those that take turns because they shall.
for _, name in ipairs { "computes", "barriers", "atomic", "barrier_waits" } do
  ends_by(name .. " together", name, { more = ", cooperative = true" },
          { "40000 warp instructions of the CTAs that take turns, now in " ..
            "the loop of", "it is endless; if" })
end
ends_by("long turns", "computes", { more = ", interleave = 1 << 30" },
        { "40000 warp instructions of the CTAs that take turns" })
ends_by("waits together", "waits",
        { more = ", cooperative = true", run = 10000000 },
        { "all CTAs that are left wait" })

-- The same in a run with time; and with races looked for.
ends_by("with time", "atomic", { timed = true }, budget)

-- Who says what the budget is: the launch, else the run, else the command.
ends_by("of the launch", "computes",
        { more = ", budget = 5000", budget = 20000 },
        { " 5000 warp instructions" })
ends_by("of the command", "computes", { run = "nil", budget = 20000 },
        { " 20000 warp instructions" })

-- 2 warps, each 2 + 3 x 5000 + 2 instructions, and what a CTA may have left.
H.test("what ends is not hit", function()
  local status, _, run = launch("ends", { run = 2 * 15004 })
  H.equal(status, 0, "status")
  H.equal(run.warp_insts, 2 * 2 * 15004, "warp instructions")
  status, _, run = launch("ends", { run = 2 * 2 * 15004,
                                    more = ", interleave = 50" })
  H.equal(status, 0, "status together")
  H.equal(run.warp_insts, 2 * 2 * 15004, "warp instructions together")
end)
ends_by("a little too long", "ends", { run = 2 * 15004 - 2 },
        { "30006 warp instructions of this CTA" })

H.test("mistakes", function()
  for _, value in ipairs { "0", "-1", "1.5", "\"all\"" } do
    local problems = H.run(text:format(value, "ends", 1, 32, ""))
    if not (problems[1] or ""):find("'budget' is .*, expected a whole number") then
      error(("%s: %s"):format(value, problems[1] or "accepted"), 0)
    end
    local run_of_launch = launch("ends", { more = ", budget = " .. value })
    H.equal(run_of_launch, 3, "status of the launch")
  end
end)

H.finish()
