-- Runs of which some launches, or windows of them, are timed and the others only
-- executed.

local H = require "harness"
local core = H.import "core"
local results = H.import "look/results"
local test, equal = H.test, H.equal

-- Twelve launches that each add one to the elements of a buffer: of "up" on
-- the even ones, of "_Z4downv" on the odd ones.  `more` are fields of loom.run,
-- which begin on line 4.
local function script(more, after)
  return ([[
local loom = require "warploom"
local run = loom.run {
  machine = loom.preset.tiny {},
  %s
  workload = function(dev)
    local text = ""
    for _, name in ipairs { "up", "_Z4downv" } do
      text = text .. ".visible .entry " .. name .. "(.param .u64 p)\n{\n" ..
        ".reg .u64 %%rd<4>;\n.reg .u32 %%r<6>;\nld.param.u64 %%rd1, [p];\n" ..
        "mov.u32 %%r1, %%ctaid.x;\nmov.u32 %%r2, %%tid.x;\n" ..
        "mad.lo.u32 %%r3, %%r1, 128, %%r2;\n" ..
        "mul.wide.u32 %%rd2, %%r3, 4;\nadd.u64 %%rd3, %%rd1, %%rd2;\n" ..
        "ld.global.u32 %%r4, [%%rd3];\nadd.u32 %%r5, %%r4, 1;\n" ..
        "st.global.u32 [%%rd3], %%r5;\nret;\n}\n"
    end
    local m = dev:module(".version 3.1\n.target sm_20\n" ..
                         ".address_size 64\n" .. text)
    local data = dev:upload(dev:array("u32", 1024), "data")
    local streams = { dev:stream(), dev:stream() }
    for i = 0, 11 do
      local kernel = i %% 2 == 0 and "up" or "_Z4downv"
      dev:launch(m[kernel], { grid = 8, block = 128, args = { data },
        stream = nil })
    end
    dev:sync()
    dev:check(data:download():sum() == 12 * 1024, "wrong sum")
    dev:verified("all elements")
  end,
}
%s]]):format(more or "", after or "")
end

-- Its outcome, exit status and warnings.
local function run(text, options)
  local lines, warnings, status = H.run(text, options)
  H.lines(lines, {})
  return H.runs()[1], status, warnings
end

-- The numbers of the launches of a run that were timed.
local function timed(r)
  local numbers = {}
  for i, kernel in ipairs(r.kernels) do
    if not kernel.untimed then
      numbers[#numbers + 1] = kernel.id
      assert(kernel.seconds > 0)
      equal(kernel.waves, 8 / 16) -- two SMs of 8 CTAs
    else
      equal(kernel.seconds, 0.0)
      equal(kernel.waves, nil)
    end
    equal(kernel.id, i - 1)
    equal(kernel.warp_insts, 8 * 4 * 10)
  end
  return table.concat(numbers, " ")
end

test("chosen launches are timed, all are executed", function()
  local even, odd = "0 2 4 6 8 10", "1 3 5 7 9 11"
  for choice, numbers in next, {
    ['kernels = "up"'] = even, ['kernels = "u*"'] = even,
    ['kernels = "_Z4downv"'] = odd, ['kernels = "down*"'] = odd,
    ['kernels = "*o*"'] = odd, ['kernels = { "none", "up" }'] = even,
    ['kernels = "up,down*", last = 3'] = "0 1 2 3",
    ['first = 10'] = "10 11", ['last = 0'] = "0",
    ['first = 4, last = 4'] = "4", ['first = 11, last = 30'] = "11",
    ['first = 3, last = 8, kernels = "up"'] = "4 6 8",
    ['kernels = "^u"'] = even, ['kernels = "o.n"'] = odd,
    ['kernels = "^downv?v$"'] = odd, ['kernels = "^[u_]", first = 10'] = "10 11",
    ['kernels = "x+,(a|u)p", last = 2'] = "0 2",
    ['skip = 10'] = "10 11", ['time = 2'] = "0 1",
    ['skip = 3, time = 2'] = "3 4", ['skip = 11, time = 5'] = "11",
    ['kernels = "down*", skip = 2, time = 1'] = "5",
    ['first = 3, last = 8, kernels = "up", skip = 1, time = 1'] = "6",
  } do
    local r, status = run(script(("timed = { %s },"):format(choice)))
    local count = select(2, numbers:gsub("%d+", ""))
    equal(status, 0, choice)
    equal(timed(r), numbers, choice)
    equal(r.verdicts[1], "all elements", choice)
    equal(r.warp_insts, count * 320, choice)
  end
end)

test("nothing of the others is in the statistics", function()
  local r = run(script("timed = { last = 1 },", [[
    assert(run.stats("gpu").kernels == 2)
    assert(run.stats("gpu.sm").ctas == 16)
    assert(run.stats("gpu.sm").loads == 2 * 64)
    assert(run.kernels[1].untimed == nil and run.kernels[3].untimed)]]))
  local again = run(script("timed = { last = 1 },"))
  local other = run(script("timed = { last = 2 },"))
  equal(again.digest, r.digest)
  equal(again.cycles, r.cycles)
  equal(other.digest ~= r.digest, true)
  -- What comes after the last that is timed changes memory only.
  local all = run(script())
  equal(r.kernels[1].seconds, all.kernels[1].seconds)
  equal(r.kernels[2].seconds, all.kernels[2].seconds)
end)

test("launches that are not timed leave caches cold", function()
  -- Of data that no copy has left in the L2 the first of all launches misses
  -- every line, and so does the first that is timed.
  for _, more in ipairs { "", "timed = { first = 8, last = 8 },",
                          "timed = { last = 0 }," } do
    local text = script(more, "assert(run.stats('gpu.l2').misses == 32)")
    run((text:gsub("dev:upload%(.-, \"data\"%)",
                   'dev:alloc({ type = "u32", count = 1024 }, "data")')))
  end
end)

test("the command line says so for runs that do not", function()
  local options = { timed = { kernels = { "up" }, first = 2 } }
  equal(timed(run(script(), options)), "2 4 6 8 10")
  equal(timed(run(script("timed = { last = 1 },"), options)), "0 1")
  equal(timed(run(script("timed = {},"), options)),
        "0 1 2 3 4 5 6 7 8 9 10 11")
  equal(run(script(), options).digest,
        run(script('timed = { kernels = "up", first = 2 },')).digest)
  local functional, status = run(script(), { timed = { first = 30 },
                                             functional = true })
  equal(status, 0)
  equal(#functional.kernels, 12)
end)

test("streams, and stops", function()
  local loose = 'timed = { kernels = "up", first = 3 },'
  local text = script(loose):gsub("stream = nil",
                                      "stream = streams[i %% 3]")
  local r, status = run(text)
  equal(status, 0)
  equal(timed(r), "4 6 8 10")
  equal(run(text).digest, r.digest)
  r = run(script("timed = { first = 2 }, stop = { warp_insts = 640 },"))
  equal(r.status, "cut")
  equal(timed(r):find("^2 3"), 1)
end)

test("a recording does not depend on it, and its replay does", function()
  local path = os.tmpname() .. ".wlt"
  local direct, texts = {}, {}
  for i, choice in ipairs { {}, { first = 7, last = 9 } } do
    direct[i] = run(script(), { record = path, timed = choice })
    texts[i] = core.file_digest(path)
  end
  equal(texts[2], texts[1])
  for i, more in ipairs { "", "timed = { first = 7, last = 9 }," } do
    local text = script(more):gsub("workload = function.*\n  end,\n",
                                   "workload = loom.replay '" .. path .. "',")
    local r = run(text)
    equal(r.cycles, direct[i].cycles)
    equal(timed(r), timed(direct[i]))
  end
  os.remove(path)
end)

test("with windows, launches that are not timed are not counted", function()
  local text = script("sample = true, timed = { first = 8 },", [[
    local passed = 0
    for i, kernel in ipairs(run.kernels) do
      assert(not (kernel.passed and kernel.untimed))
      assert((i <= 8) == (kernel.untimed or false))
      passed = passed + (kernel.passed and 1 or 0)
    end
    assert(passed > 4, passed)
    assert(run.stats("gpu").kernels == 40)
    assert(run.errors("gpu.sm").warp_insts == 0)]])
  text = text:gsub("for i = 0, 11", "for i = 0, 47"):gsub("i %% 2 == 0", "true")
             :gsub("12 %* 1024", "48 * 1024")
  local r, status = run(text)
  equal(status, 0)
  equal(r.warp_insts, 40 * 320)
  equal(r.sampled > 0.1 and r.sampled < 1, true)
  equal(run(text).digest, r.digest)
end)

-- A kernel of 313 CTAs, launched twice.
local function placed(windows, after)
  return ([[
local loom = require "warploom"
local one = loom.suite.blackscholes { pairs = 40000 }
local run = loom.run {
  machine = loom.preset.tiny {},
  workload = function(dev)
    one.run(dev, one.values)
    one.run(dev, one.values)
  end,
  sample = %s,
}
%s]]):format(windows, after or "")
end

test("windows are where they are placed", function()
  local full = run(placed("nil"))
  local windows = [[{ windows = {
    { kernel = "black*", from = 20000, insts = 10000, ramp = 5000 },
    { kernel = "black*", from = 100000, insts = 10000 },
    { kernel = "black*", from = 160000, insts = 10000 } } }]]
  local r, status = run(placed(windows, [[
    assert(run.errors("gpu.sm").warp_insts == 0)
    assert(run.errors("gpu.sm.l1d").misses > 0)
    for _, kernel in ipairs(run.kernels) do assert(not kernel.passed) end]]))
  equal(status, 0)
  equal(r.warp_insts, full.warp_insts)
  equal(r.sampled > 0.75 and r.sampled < 0.9, true, r.sampled)
  equal(math.abs(r.cycles / full.cycles - 1) < 0.05, true,
        r.cycles / full.cycles)
  equal(r.cycles_error > 0, true)
  equal(run(placed(windows)).digest, r.digest)
end)

test("windows of one launch leave the others in time", function()
  local full = run(placed("nil"))
  local r = run(placed [[{ windows = { { kernel = "blackscholes", launch = 1,
    from = 100000, insts = 10000 } } }]])
  equal(r.kernels[1].seconds, full.kernels[1].seconds)
  equal(r.sampled > 0.35 and r.sampled < 0.48, true, r.sampled)
  equal(r.cycles_error ~= r.cycles_error, true, "one window has an error")
end)

test("windows that are not reached are named", function()
  for windows, text in next, {
    ['{ kernel = "white*", from = 0, insts = 1 }'] =
      "'sample.windows[1]' of kernel \"white*\" was not reached: which no " ..
      "kernel is called; there is blackscholes",
    ['{ kernel = "black*", from = 1000000, insts = 1 }'] =
      "'sample.windows[1]' of kernel \"black*\" was not reached: no launch " ..
      "of it has so many instructions",
    ['{ kernel = "black*", launch = 2, from = 0, insts = 1 }'] =
      "'sample.windows[1]' of kernel \"black*\" was not reached: no launch " ..
      "of it has so many instructions",
  } do
    local r, status = run(placed("{ windows = { " .. windows .. " } }"))
    equal(status, 3)
    equal(r.reason, "t.lua:9: run: " .. text)
  end
end)

test("the file says so", function()
  local path = os.tmpname() .. ".h5"
  local more = ("stats = { file = %q },"):format(path)
  run(script(more .. ' timed = { kernels = "up,x*", first = 1, last = 6 },'))
  local file = assert(results.open(path))
  equal(file.attributes.timed, "--kernels=up,x* --first=1 --last=6")
  equal(file.meta.launches, 12)
  equal(file.meta.launches_timed, 3)
  file:close()
  run(script(more))
  file = assert(results.open(path))
  equal(file.attributes.timed, nil)
  equal(file.meta.launches, nil)
  file:close()
  os.remove(path)
end)

-- What is wrong if nothing was timed, and whether the field or options say so.
local nothing = {
  { { kernels = { "ups" } },
    "'timed.kernels' is \"ups\", which no kernel is called; did you mean 'up'?",
    "--kernels is \"ups\", which no kernel is called; did you mean 'up'?" },
  { { kernels = { "gemm", "x*" } },
    "'timed.kernels' is \"gemm,x*\", which no kernel is called; there is " ..
    "_Z4downv, up",
    "--kernels is \"gemm,x*\", which no kernel is called; there is " ..
    "_Z4downv, up" },
  { { first = 12 }, "'timed.first' is 12, expected at most 11",
    "--first is 12, expected at most 11" },
  { { kernels = { "up" }, first = 11 },
    "'timed.first' is 11, expected at most 10",
    "--first is 11, expected at most 10" },
  { { kernels = { "down*" }, last = 0 },
    "'timed.last' is 0, expected at least 1",
    "--last is 0, expected at least 1" },
  { { skip = 12 }, "'timed.skip' is 12, expected at most 11",
    "--skip is 12, expected at most 11" },
  { { kernels = { "(u)p" }, skip = 6, time = 1 },
    "'timed.skip' is 6, expected at most 5",
    "--skip is 6, expected at most 5" },
  { { kernels = { "^p" } },
    "'timed.kernels' is \"^p\", which no kernel is called; did you mean 'up'?",
    "--kernels is \"^p\", which no kernel is called; did you mean 'up'?" },
  { { kernels = { "up" }, first = 3, last = 3 },
    "'timed.first' and 'last' are 3 and 3, between which no such kernel is " ..
    "launched",
    "--first and 'last' are 3 and 3, between which no such kernel is " ..
    "launched" },
}

test("a run of which nothing is timed fails", function()
  for _, one in ipairs(nothing) do
    local words = {}
    for key, value in next, one[1] do
      words[#words + 1] = ("%s = %s"):format(key, type(value) == "number" and
        value or ("{ %q }"):format(table.concat(value, '", "'))
                           :gsub('\\"', '"'))
    end
    local field = ("timed = { %s },"):format(table.concat(words, ", "))
    for i, made in ipairs { { run(script(field)) },
                            { run(script(), { timed = one[1] }) } } do
      local r, status = table.unpack(made)
      equal(status, 3)
      equal(r.reason, ("t.lua:%d: run: none of 12 launches is timed: %s")
            :format(i == 1 and 4 or 2, one[i + 1]))
    end
  end
  -- Unless there was nothing to time.
  local text = script("timed = { first = 3 },")
  text = text:gsub("for i = 0, 11", "for i = 0, -1"):gsub("12 %* 1024", "0")
  local _, status = run(text)
  equal(status, 0)
end)

test("a name that no kernel has is told", function()
  local _, status, warnings = run(script('timed = { kernels = "up,ups" },'))
  equal(status, 0)
  H.lines(warnings, { "t.lua:4: run: 'timed.kernels' has \"ups\", which no " ..
                      "kernel is called; did you mean 'up'?" })
end)

H.finish()
