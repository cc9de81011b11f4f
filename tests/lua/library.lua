-- What the library does when nothing is wrong: units, records, templates,
-- selections, links, policies, options, the sandbox, determinism.

local H = require "harness"
local unit = H.import "base/unit"
local record = H.import "machine/record"
local suggest = H.import "base/suggest"
local running = H.import "host/running"
local renamed = H.import "machine/renamed"
local test, equal = H.test, H.equal

local head = 'local loom = require "warploom"\n'

-- Runs a script that must be right.
local function good(text, options)
  local given = { mode = "check" }
  for key, value in pairs(options or {}) do given[key] = value end
  local lines, warnings, status = H.run(head .. text, given)
  if lines[1] then error(lines[1], 2) end
  equal(status, 0, "the exit status")
  return warnings
end

------------------------------------------------------------------------------

test("old names of parameters are taken, with a warning", function()
  for _, row in ipairs(renamed.list) do
    equal(renamed.is_over(row), false, row[1] .. "." .. row[2] ..
          " was renamed two versions ago: take the row out")
  end
  local row = { "cache", "assoc", "ways", "0.2" }
  equal(renamed.is_over(row, "0.2.0"), false)
  equal(renamed.is_over(row, "0.3.9"), false)
  equal(renamed.is_over(row, "0.4.0"), true)
  equal(renamed.is_over(row, "1.0.0"), true)
  local kept = renamed.list
  renamed.list = { row, { "tiny", "cores", "sm_count", "0.2" },
                   { "atax", "height", "rows", "0.2" } }
  local warnings = good [[
local cache = loom.cache { assoc = 8 }
assert(cache.ways == 8 and cache.assoc == 8)
cache.assoc = 4
assert(cache.ways == 4)
local gpu = loom.preset.tiny { cores = 1 }
assert(#gpu.sm == 1)
assert(loom.suite.atax { height = 64 }.values.rows == 64)
return gpu
]]
  renamed.list = kept
  equal(table.concat(warnings, "\n"), table.concat({
    "t.lua:2: cache: parameter 'assoc' is called 'ways' since version 0.2",
    "t.lua:3: cache: parameter 'assoc' is called 'ways' since version 0.2",
    "t.lua:4: cache: parameter 'assoc' is called 'ways' since version 0.2",
    "t.lua:6: tiny: parameter 'cores' is called 'sm_count' since version 0.2",
    "t.lua:8: atax: parameter 'height' is called 'rows' since version 0.2" },
    "\n"))
end)

test("units are read exactly", function()
  equal(unit.exact("128KiB", "byte"), 131072)
  equal(unit.exact("128kB", "byte"), 128000)
  equal(unit.exact("1.5 MiB", "byte"), 1572864)
  equal(unit.exact("1.4GHz", "Hz"), 1400000000)
  equal(unit.exact("883.3922MHz", "Hz"), 883392200)
  equal(unit.exact("1_000 Hz", "Hz"), 1000)
  equal(unit.exact("0.5Hz", "Hz"), nil)
  equal(unit.exact("10us", "byte"), nil)
  equal(unit.exact("64K", "byte"), nil)
  equal(unit.exact("99999999TiB", "byte"), nil)
  equal(unit.femtoseconds("10us"), 10000000000)
  equal(unit.femtoseconds("1fs"), 1)
  equal(unit.femtoseconds("0.1fs"), nil)
  equal(unit.number("2.5us", "s"), 2.5e-6)
  equal(unit.exact("200 cycles", "cycle"), 200)
end)

test("values are written as users write them", function()
  equal(unit.format(131072, "byte"), '"128KiB"')
  equal(unit.format(1536, "byte"), "1536")
  equal(unit.format(1400000000, "Hz"), '"1400MHz"')
  equal(unit.format(true, "1"), "true")
  equal(unit.format("lru", "1"), '"lru"')
  equal(unit.format({ 1, 2 }, "1"), "{ 1, 2 }")
end)

test("whole floats are whole numbers", function()
  local spec = { name = "x", type = "integer", unit = "1", min = 0 }
  equal(math.type((unit.check(spec, 8 / 2))), "integer")
  equal(unit.check(spec, 2.5), nil)
  equal(unit.check(spec, -1), nil)
  equal(unit.check({ type = "number", unit = "1", min = 0, max = 1 }, "25%"),
        0.25)
end)

test("distances", function()
  equal(suggest.distance("ways", "wayz"), 1)
  equal(suggest.distance("abcd", "abdc"), 1)
  equal(suggest.distance("", "abc"), 3)
  equal(suggest.nearest("warp", { "wrap", "cache" }), "wrap")
  equal(suggest.nearest("zzz", { "wrap", "cache" }), nil)
end)

test("clock edges are floor(n * 10^15 / f)", function()
  equal(running.edge(1, 700000000), 1428571)
  equal(running.edge(7, 700000000), 10000000)
  equal(running.edge(700000001, 700000000), 1000000001428571)
  equal(running.edge(3, 1000000000000), 3000)
end)

------------------------------------------------------------------------------

test("parameters: defaults, presets, instances", function()
  good [[
    local g = loom.preset.tiny {}
    assert(g.sm[0].l1d.size_bytes == 4096)
    g.sm[1].l1d.size_bytes = "8KiB"
    assert(g.sm[0].l1d.size_bytes == 4096)
    assert(g.sm[1].l1d.size_bytes == 8192)
    assert(g.sm[0].l1d.mshr_entries == loom.cache {}.mshr_entries)
    assert(g.sm[1].clock == 1000000000)
    g.sm[1].clock = "2GHz"
    assert(g.sm[1].l1d.clock == 2000000000 and g.clock == 1000000000)
    assert(#g.sm == 2 and tostring(g.sm[1].l1d) == "gpu.sm[1].l1d")
    return g ]]
  local origins = H.machines()[1].origins["gpu[0].sm[1].l1d"].params
  equal(origins.size_bytes.origin, "instance")
  equal(origins.ways.origin, "preset")
  equal(origins.mshr_entries.origin, "default")
end)

test("preset arguments reach all of a list", function()
  good [[
    local g = loom.preset.tiny { sm_count = 3, sm_threads = 256, sm = { warps = 8,
      scheduler = loom.lrr {}, l1d = { ways = 4 } } }
    for i = 0, 2 do
      assert(g.sm[i].warps == 8 and g.sm[i].l1d.ways == 4)
      assert(g.sm[i].scheduler.name == "lrr")
    end
    assert(g.sm[0].scheduler ~= g.sm[1].scheduler)
    return g ]]
  equal(H.machines()[1].origins["gpu[0].sm[2]"].params.warps.origin,
        "argument")
end)

test("a template used twice becomes two instances", function()
  good [[
    local l1 = loom.cache { size_bytes = "8KiB", ways = 2 }
    local a, b = loom.sm { l1d = l1 }, loom.sm { l1d = l1 }
    b.l1d.ways = 4
    assert(a.l1d == l1 and b.l1d ~= l1)
    assert(a.l1d.ways == 2 and b.l1d.ways == 4)
    local p = loom.lru {}
    a.l1d.replacement, b.l1d.replacement = p, p
    assert(a.l1d.replacement ~= b.l1d.replacement)
    local s = loom.shared { loom.lru {} }
    a.l1d.replacement, b.l1d.replacement = s, s
    assert(a.l1d.replacement == b.l1d.replacement) ]]
end)

test("copying a tree copies the links inside it", function()
  good [[
    local sm = loom.sm { ldst = loom.ldst {}, l1d = loom.cache {} }
    loom.link(sm, sm.ldst)
    loom.link(sm.ldst, sm.l1d)
    local g = loom.gpu { clock = "1GHz", sm = loom.list(3, sm),
                         dram = loom.dram {} }
    for one in g:each "sm[*]" do
      loom.link(g, one)
      loom.link(one.l1d, g.dram)
    end
    return g ]]
  equal(#H.machines()[1].links, 3 * 4 + 1) -- and the host's
end)

test("each: ranges, any name, any depth, order", function()
  good [[
    local g = loom.preset.tiny { sm_count = 12 }
    assert(#g:each "sm[*].l1d" == 12)
    assert(#g:each "sm[2-4]" == 3)
    assert(#g:each "sm[10]" == 1)
    assert(#g:each "**.l1d" == 12)
    assert(#g:each "sm[*].*" == 24)
    assert(#g:each "sm[*]":each "l1d" == 12)
    local seen = {}
    for sm, i in g:each "sm[*]" do seen[#seen + 1] = tostring(sm) .. i end
    assert(seen[1] == "gpu.sm[0]0" and seen[12] == "gpu.sm[11]11")
    g:each "sm[*].l1d":set { ways = 4 }:attach(loom.fifo {})
    assert(g.sm[11].l1d.ways == 4)
    g:each "sm[2-4].l1d".ways = 8
    assert(g.sm[4].l1d.ways == 8 and g.sm[5].l1d.ways == 4)
    return g ]]
  local fifos = 0
  for _, p in ipairs(H.machines()[1].policies) do
    if p.type == "fifo" then
      fifos = fifos + 1
      equal(p.attach[1].slot, "replacement")
    end
  end
  equal(fifos, 12)
end)

test("what the user attaches replaces what a preset chose", function()
  good [[
    local g = loom.preset.tiny { l2 = { replacement = loom.lru {} } }
    g.l2:attach(loom.fifo {})
    return g ]]
  for _, p in ipairs(H.machines()[1].policies) do
    if p.attach[1].component == "gpu[0].l2" and
       p.attach[1].slot == "replacement" then
      equal(p.type, "fifo")
      equal(p.path, "gpu[0].l2.policy.fifo")
    end
  end
end)

test("attach finds the slot in the island", function()
  good [[
    local g = loom.preset.tiny {}
    g.sm[1].l1d:attach(loom.lrr {})
    return g ]]
  for _, p in ipairs(H.machines()[1].policies) do
    if p.type == "lrr" then
      equal(p.attach[1].component, "gpu[0].sm[1]")
      equal(p.attach[1].slot, "scheduler")
    end
  end
end)

test("splice puts a component into a link", function()
  good [[
    local g = loom.preset.tiny {}
    local l3 = loom.cache { name = "l3", size_bytes = "64KiB", ways = 8,
                            level = "l3" }
    loom.splice(g.l2.down, l3.up, l3.down)
    return g ]]
  local found = {}
  for _, l in ipairs(H.machines()[1].links) do
    found[l.client.path] = l.server.path
  end
  equal(found["gpu[0].l2"], "gpu[0].l3")
  equal(found["gpu[0].l3"], "gpu[0].dram")
end)

test("links take the next free index", function()
  good [[
    local g = loom.preset.tiny {}
    return g ]]
  local index = {}
  for _, l in ipairs(H.machines()[1].links) do
    if l.server.path == "gpu[0].xbar" then
      index[l.client.path] = l.server.index
    end
  end
  equal(index["gpu[0].sm[0].l1d"], 0)
  equal(index["gpu[0].sm[1].l1d"], 1)
end)

test("a narrow channel is a warning", function()
  local warnings = good [[
    local g = loom.preset.tiny {}
    local l3 = loom.cache { level = "l3" }
    g.l3 = l3
    loom.link(g.xbar, l3.up, { latency = 4, capacity = 2 })
    loom.link(l3.down, g.dram)
    return g ]]
  equal(warnings[1], "t.lua:5: gpu[0].xbar.down to gpu[0].l3.up: the " ..
        "request channel has capacity 2, less than latency + credit = 5, " ..
        "and cannot run at full rate")
  equal(#warnings, 2)
end)

test("a capital K is not a small one", function()
  local warnings = good [[loom.cache { size_bytes = "16kB", ways = 5,
    line_bytes = 32 } ]]
  equal(warnings[1], "t.lua:2: cache: parameter 'size_bytes' is \"16kB\": " ..
        "kB is 1000 bytes, KiB 1024")
end)

------------------------------------------------------------------------------

test("options come from --set", function()
  local text = [[
    local n = loom.option { name = "n", default = 4, doc = "how many" }
    local s = loom.option { name = "s", default = "gto",
                            choices = { "gto", "lrr" } }
    local b = loom.option { name = "b", default = false }
    local f = loom.option { name = "f", default = 0.5 }
    assert(n == %s and s == "%s" and b == %s and f == %s) ]]
  good(text:format("4", "gto", "false", "0.5"))
  good(text:format("7", "lrr", "true", "2.0"),
       { set = { n = "7", s = "lrr", b = "true", f = "2" } })
end)

test("wrong values for options", function()
  local text = head .. [[
    loom.option { name = "n", default = 4, max = 9 }
    loom.option { name = "s", default = "gto", choices = { "gto", "lrr" } }
  ]]
  local lines = H.run(text, { set = { n = "x" } })
  H.lines(lines, { "t.lua:2: option n: --set n=x: expected a whole number" })
  lines = H.run(text, { set = { n = "12" } })
  H.lines(lines, { "t.lua:2: option n: is 12, expected ..9" })
  lines = H.run(text, { set = { s = "gtoo" } })
  H.lines(lines, { "t.lua:3: option s: is \"gtoo\", expected gto, lrr; did " ..
                   "you mean 'gto'?" })
  lines = H.run(text, { set = { m = "1" } })
  H.lines(lines, { "t.lua: --set m: the script has no option 'm'; did you " ..
                   "mean 'n'?" })
  lines = H.run("", { set = { m = "1" } })
  H.lines(lines, { "t.lua: --set m: the script has no option 'm'; it " ..
                   "declares none" })
end)

test("pairs and next are sorted", function()
  good [[
    local t = { zeta = 1, alpha = 2, [3] = 3, [1] = 4, [2.5] = 5, beta = 6,
                [true] = 7 }
    local order = {}
    for k in pairs(t) do order[#order + 1] = tostring(k) end
    assert(table.concat(order, " ") == "1 2.5 3 alpha beta zeta true")
    local k, seen = next(t), 0
    while k ~= nil do seen, k = seen + 1, next(t, k) end
    assert(seen == 7 and next {} == nil)
    for key in pairs(t) do t[key] = nil end
    assert(next(t) == nil) ]]
end)

test("random numbers come from the seed", function()
  local text = "return { math.random(1 << 30), loom.array('f32', 3)" ..
               ":random(7, 0, 1)[2] }"
  local function numbers(seed)
    local got
    local script = H.import "script/script"
    local session = H.import "script/session"
    script.execute("t.lua", head .. "seen = (function() " .. text ..
                   " end)()", { seed = seed, set = {}, argv = {} })
    equal(#session.problems, 1) -- the global
    math.randomseed(seed)
    got = math.random(1 << 30)
    return got
  end
  equal(numbers(5), numbers(5))
  equal(numbers(5) ~= numbers(6), true)
end)

test("the sandbox has no way out", function()
  good [[
    assert(os.getenv and not pcall(os.getenv, "HOME"))
    assert(not pcall(os.execute, "true") and not pcall(io.popen, "true"))
    assert(not pcall(os.exit, 1) and not pcall(os.remove, "x"))
    assert(debug.sethook == nil and debug.getregistry == nil)
    assert(string.dump == nil)
    assert(load("return 1 + 1")() == 2)
    assert(load("\27Lua") == nil)
    assert(getmetatable(loom) == "warploom") ]]
end)

test("arrays", function()
  good [[
    local a = loom.array("i32", { 3, 1, 2 })
    assert(#a == 3 and a[0] == 3 and a:sum() == 6 and a:type() == "i32")
    a[1] = -7
    assert(a:copy():map(function(v, i) return v + i end)[1] == -6)
    assert(a:slice(1, 2)[0] == -7 and a:bytes() == 12)
    assert(a:equals(a:copy()))
    local same, at = a:equals(loom.array("i32", { 3, -7, 5 }))
    assert(not same and at == 2)
    local d, where = loom.array("f32", { 1, 2 }):max_abs_diff(
      loom.array("f32", { 1, 2.5 }))
    assert(d == 0.5 and where == 1)
    assert(not pcall(function() a[3] = 0 end))
    local function refuses(text, f, ...)
      local ok, why = pcall(f, ...)
      assert(not ok and why:find(text, 1, true), why)
    end
    local whole = loom.array("i32", 4):iota()
    assert(whole[3] == 3 and whole:iota(7, -3)[3] == -2)
    assert(loom.array("f32", 3):iota(0.5, 0.25)[2] == 1)
    refuses("element 0 would", function(x) x:iota(1, math.maxinteger - 1):add(
      math.maxinteger) end, loom.array("i64", 2))
    refuses("does not fit", whole.iota, whole, 1 << 31)
    refuses("elements for", whole.add, whole, loom.array("i32", 3))
    refuses("real elements for whole", whole.mul, whole, loom.array("f32", 4))
    refuses("no integer representation", whole.add, whole, 0.5)
    assert(whole:iota():mul(whole):add(loom.array("u8", { 1, 2, 3, 4 }))[3]
           == 13)
    assert(loom.array("f32", { 1, 2 }):mul(loom.array("i32", { 3, 4 }))[1]
           == 8)
    local state = 9
    local drawn = loom.array("u32", 50):lcg(9, 1000)
    for i = 0, 49 do
      state = (state * 1664525 + 1013904223) & 0xFFFFFFFF
      assert(drawn[i] == (state >> 8) % 1000)
    end
    assert(loom.array("f64", 50):lcg(9, 1000):as("u32"):equals(drawn))
    refuses("expected 1..2^24", drawn.lcg, drawn, 1, 0)
    refuses("does not fit", function(x) x:lcg(1, 1000) end,
            loom.array("u8", 50))
    assert(loom.array("u8", { 3, 4, 5 }):scan():equals(
      loom.array("u8", { 0, 3, 7 })))
    local picked = loom.array("f32", { 5, 6, 7 }):gather(
      loom.array("i64", { 2, 2, 0, 1 }))
    assert(picked:equals(loom.array("f32", { 7, 7, 5, 6 })))
    assert(picked:scatter(loom.array("u8", { 3, 0 }),
                          loom.array("f32", { 1, 2 })):equals(
      loom.array("f32", { 2, 7, 5, 1 })))
    refuses("expected 0..2", function(x) x:gather(loom.array("i32", { 3 })) end,
            loom.array("f32", 3))
    refuses("expected 0..2", function(x) x:gather(loom.array("i32", { -1 })) end,
            loom.array("f32", 3))
    refuses("indices are whole", picked.gather, picked, picked)
    refuses("another type", picked.scatter, picked, drawn, drawn)
    refuses("not as many", picked.scatter, picked, drawn, picked)
    assert(loom.array("f64", { -0.5, 2.75 }):as("i32"):equals(
      loom.array("i32", { -1, 2 })))
    refuses("does not fit", function(x) x:as("u8") end,
            loom.array("f32", { 256 }))
    refuses("no whole number", function(x) x:as("i64") end,
            loom.array("f64", { 0 / 0 }))
    local near = loom.array("f32", { 100, 0 })
    assert(near:close(loom.array("f32", { 101, 0 }), 0.01))
    local is, off = near:close(loom.array("f32", { 100, 0.5 }), 0.1)
    assert(not is and off == 1)
    assert(near:close(loom.array("f32", { 100, 0.5 }), 0.1, 0.5))
    assert(not near:close(loom.array("f32", { 0 / 0, 0 }), 1, 1))
    assert(not near:close(loom.array("f32", { 1 / 0, 0 }), 1, 1))
    assert(loom.array("f64", { 1 / 0 }):close(loom.array("f64", { 1 / 0 }), 0))
    assert(loom.array("u8", "abc"):sha256() == "ba7816bf8f01cfea414140de5dae" ..
           "2223b00361a396177a9cb410ff61f20015ad")
    assert(loom.array("u8", "123456789"):crc32() == 0xCBF43926)
    assert(loom.array("u8", 0):crc32() == 0)
    assert(not pcall(function() a[0] = 2.5 end))
    assert(not pcall(function() loom.array("u8", 1)[0] = 256 end))
    local m = loom.array("f32", { 1, 2, 3, 4, 5, 6 }) -- 2 x 3
    local x = loom.array("f32", { 1, 1, 1 })
    assert(loom.matvec(m, x, 2, 3)[1] == 15)
    assert(loom.matvec_t(m, x, 2, 3)[2] == 9)
    local c = loom.matmul(m, m, 2, 3, 2) -- the same six as 3 x 2
    assert(c[0] == 22 and c[3] == 64) ]]
end)

test("the resolved configuration runs again to the same machine", function()
  local describe = H.import "machine/describe"
  local machine = H.import "machine/machine"
  good [[
    local g = loom.preset.tiny { sm = { scheduler = loom.lrr {} } }
    g.sm[1].l1d.ways = 4
    return g ]]
  local first = machine.text(H.machines()[1])
  local again = describe.lua(H.machines()[1])
  local lines = H.run(again, { mode = "check" })
  H.lines(lines, {})
  local second = machine.text(H.machines()[1])
  equal(second, first)
end)

test("odd values of any parameter are told or taken, never more", function()
  local types = H.import "machine/types"
  local odd = { "true", '"x"', "-1", "0", "1e300", "0/0", "1/0", "{}",
                "print", "1 << 62", '""', "{ 1, 2.5 }", "loom", "loom.lru {}",
                "loom.list(2, loom.sm {})", '"1e9"', '"-3KiB"' }
  for _, list in ipairs { types.component_list, types.policy_list } do
    for _, type in ipairs(list) do
      for _, param in ipairs(type.params) do
        local text = { head, ("return loom.%s {}, {"):format(type.name) }
        for _, value in ipairs(odd) do
          text[#text + 1] = ("loom.%s { clock = '1GHz', %s = %s },"):format(
            type.name, param.name, value)
        end
        text[#text + 1] = "}"
        local lines = H.run(table.concat(text, " "), { mode = "check" })
        for _, line in ipairs(lines) do
          equal(line:find("^t%.lua:[2-9]: ") ~= nil, true, line)
        end
      end
    end
  end
end)

test("odd values of parameters reach no engine that dies of them", function()
  local types = H.import "machine/types"
  for _, at in ipairs { { "gpu", "g" }, { "sm", "g.sm[0]" },
                        { "ldst", "g.sm[0].ldst" }, { "cache", "g.l2" },
                        { "crossbar", "g.xbar" }, { "dram", "g.dram" } } do
    for _, param in ipairs(types.components[at[1]].params) do
      local ends = { param.min or 0, param.min and param.min + 1 or 1, 3 }
      if param.type ~= "integer" then ends = {} end
      for _, value in ipairs(ends) do
        local lines = H.run(head .. ("local g = loom.preset.tiny {}\n" ..
          "%s.%s = %d\nreturn g"):format(at[2], param.name, value),
          { mode = "check" })
        for _, line in ipairs(lines) do
          equal(line:find("^[%w/]+%.lua:%d+: ") ~= nil, true, line)
        end
      end
    end
  end
end)

test("paths and types", function()
  good "return loom.preset.tiny {}"
  local paths = {}
  for i, c in ipairs(H.machines()[1].components) do paths[i] = c.path end
  H.lines(paths, { "gpu[0]", "gpu[0].dram", "gpu[0].host", "gpu[0].l2",
    "gpu[0].sm[0]", "gpu[0].sm[0].l1d", "gpu[0].sm[0].ldst", "gpu[0].sm[1]",
    "gpu[0].sm[1].l1d", "gpu[0].sm[1].ldst", "gpu[0].xbar" })
  equal(record.ranks.instance > record.ranks.preset, true)
end)

H.finish()
