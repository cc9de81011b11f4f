-- S-L1 on kernels small enough to follow by hand.
local loom = require "warploom"

local function same(what, got, want)
  if got ~= want then
    error(("%s: got %s, expected %s"):format(what, got, want), 0)
  end
end

-- A kernel of pointers a, b and a number of turns; `body` is one turn, with
-- the thread in %r1, the turn in %r2 and the pointers in %rd1 and %rd2.
local function kernel(body)
  return ([[
.version 3.2
.target sm_20
.address_size 64
.visible .entry k(.param .u64 a, .param .u64 b, .param .u32 turns)
{
	.reg .pred %%p<4>;
	.reg .b16 %%h<4>;
	.reg .b32 %%r<12>;
	.reg .b64 %%rd<12>;
	ld.param.u64 %%rd1, [a];
	ld.param.u64 %%rd2, [b];
	ld.param.u32 %%r3, [turns];
	mov.u32 %%r1, %%tid.x;
	mov.u32 %%r2, 0;
TURN:
%s
	add.u32 %%r2, %%r2, 1;
	setp.lt.u32 %%p1, %%r2, %%r3;
	@%%p1 bra TURN;
	ret;
}
]]):format(body)
end

-- A run of it; the arrays are words.  b: an array, or an offset into a.
-- before: bytes that are taken by something else, in front of them; bits: of
-- the tags.
local function go(body, o)
  local gpu = loom.preset.tiny { sm_count = 1 }
  gpu:each "sm[*]":attach(loom.sl1_count {})
  local words
  local run = loom.run {
    machine = gpu, transform = o.sl1 and loom.sl1(o.sl1),
    workload = function(dev)
      local module = dev:module(kernel(body))
      local before = o.before and
                     dev:alloc({ type = "u8", count = o.before }, "before")
      local a = dev:alloc({ type = "u32", count = o.words or 1024 }, "a")
      local first = {}
      for i = 1, o.words or 1024 do first[i] = 3 * i end
      a:upload(first)
      local b = type(o.b) == "number" and a.address + 4 * o.b or
                dev:alloc({ type = "u32", count = o.words or 1024 }, "b")
      if before then dev:free(before) end
      if o.bits and o.sl1 then
        local text = dev:rewritten(module.k, { grid = 1, block = 32 })
        same("tags of " .. o.bits,
             text:find(("tags of %d bits"):format(o.bits), 1, true) ~= nil,
             true)
      end
      local given = type(b) == "number" and string.pack("<I8", b) or b
      dev:launch("k", { grid = 1, block = o.block or 32,
                        args = { a, given, o.turns } })
      words = { a = a:download(), b = type(b) ~= "number" and b:download() }
    end }
  return words, run.stats "gpu/sm/policy/sl1_count", run
end

local function equal(what, body, o)
  local options = o.sl1
  o.sl1 = nil
  local plain = go(body, o)
  o.sl1 = options
  local words, stats, run = go(body, o)
  for i = 0, (o.words or 1024) - 1 do
    same(("%s: a[%d]"):format(what, i), words.a[i], plain.a[i])
    if plain.b then
      same(("%s: b[%d]"):format(what, i), words.b[i], plain.b[i])
    end
  end
  return stats, run
end

-- Each thread copies 32 words of its own: 10 turns are monitored (20
-- accesses), 22 go through lines of 4 words.  Words 10 and 11 are left of the
-- third line, so 6 lines are filled for each array, and 16 accesses hit.
local copy = [[
	mad.lo.u32 %r4, %r1, 32, %r2;
	mul.wide.u32 %rd3, %r4, 4;
	add.s64 %rd4, %rd1, %rd3;
	ld.global.u32 %r5, [%rd4];
	add.s64 %rd5, %rd2, %rd3;
	st.global.u32 [%rd5], %r5;
]]
do
  local s = equal("copy", copy, { turns = 32, sl1 = { threshold = 20 } })
  same("copy: monitored", s.monitored_by_param[0], 32 * 10)
  same("copy: accesses", s.accesses_by_param[0], 32 * 22)
  same("copy: stores", s.accesses_by_param[1], 32 * 22)
  same("copy: fills", s.fills_by_param[0], 32 * 6)
  same("copy: fills for stores", s.fills_by_param[1], 32 * 6)
  same("copy: hits", s.hits, 2 * 32 * 16)
  -- Lines of 2 words: 11 are filled, and no access of a kind is worth it in
  -- the monitored 10 turns: half of them hit, no more.
  s = equal("narrow", copy, { turns = 32, sl1 = { threshold = 20, line = 8 } })
  same("narrow: cached", s.cached_by_param[0], 0)
  s = equal("narrow, all", copy, { turns = 32, sl1 = {
    threshold = 20, line = 8, cache = "all" } })
  same("narrow, all: fills", s.fills_by_param[0], 32 * 11)
  -- Lines of 6 words: 10 and 11 of the second, 12 to 31: 5 in all.
  s = equal("wide", copy, { turns = 32, words = 1024 + 8,
                            sl1 = { threshold = 20, line = 24 } })
  same("wide: accesses", s.accesses_by_param[0], 32 * 22)
  -- One line only: what is read goes before what is written.
  s = equal("one line", copy, { turns = 32,
                                sl1 = { threshold = 20, lines = 1 } })
  same("one line: read", s.cached_by_param[0], 32 * 22)
  same("one line: written", s.cached_by_param[1], 0)
  -- Nothing cached: all of it is looked up all the same.
  s = equal("none", copy, { turns = 32,
                            sl1 = { threshold = 20, cache = "none" } })
  same("none: looked up", s.accesses, 2 * 32 * 22)
  same("none: cached", s.hits + s.misses, 0)
end

-- a[i + 1] = a[i] + 1 through two pointers: one line holds what the other
-- wants.  Whoever promises that pointers do not overlap must keep it.
local chain = [[
	mul.wide.u32 %rd3, %r2, 4;
	add.s64 %rd4, %rd1, %rd3;
	ld.global.u32 %r5, [%rd4];
	add.u32 %r5, %r5, 1;
	add.s64 %rd5, %rd2, %rd3;
	st.global.u32 [%rd5], %r5;
]]
for _, line in ipairs { 8, 16, 24 } do
  equal("chain of " .. line, chain, { turns = 100, b = 1, block = 1,
    sl1 = { threshold = 20, line = line, cache = "all" } })
end
do
  local words = go(chain, { turns = 100, b = 1, block = 1,
    sl1 = { threshold = 20, cache = "all", restricted = true } })
  if words.a[100] == 103 then error("a promise broken had no effect", 0) end
end

-- Threads hand words to each other between barriers: lines are flushed.
local pass = [[
	add.u32 %r4, %r1, 33;
	and.b32 %r4, %r4, 63;
	mul.wide.u32 %rd3, %r4, 4;
	add.s64 %rd4, %rd1, %rd3;
	ld.global.u32 %r5, [%rd4];
	bar.sync 0;
	add.u32 %r5, %r5, %r1;
	mul.wide.u32 %rd5, %r1, 4;
	add.s64 %rd6, %rd1, %rd5;
	st.global.u32 [%rd6], %r5;
	bar.sync 0;
]]
equal("barriers", pass, { turns = 30, block = 64,
                          sl1 = { threshold = 7, cache = "all" } })

-- Accesses under a guard, loops of different length, exits from inside.
local odd = [[
	mad.lo.u32 %r4, %r1, 32, %r2;
	and.b32 %r6, %r2, 1;
	setp.eq.u32 %p2, %r6, 0;
	mul.wide.u32 %rd3, %r4, 4;
	add.s64 %rd4, %rd1, %rd3;
	mov.u32 %r5, 7;
	@%p2 ld.global.u32 %r5, [%rd4];
	mov.u32 %r7, 0;
INNER:
	add.s64 %rd5, %rd2, %rd3;
	cvt.u64.u32 %rd6, %r7;
	add.s64 %rd7, %rd5, %rd6;
	cvt.u16.u32 %h1, %r5;
	st.global.u8 [%rd7], %h1;
	ld.global.u8 %h2, [%rd7];
	cvt.u32.u16 %r8, %h2;
	add.u32 %r5, %r5, %r8;
	add.u32 %r7, %r7, 1;
	and.b32 %r9, %r1, 3;
	setp.le.u32 %p3, %r7, %r9;
	@%p3 bra INNER;
	setp.gt.u32 %p2, %r2, %r1;
	@%p2 ret;
]]

-- Tags of 32 bits, also where addresses go beyond 2^32, 1 GiB from the first
-- one; and of 64, where they go beyond 4 GiB.
local fills = {}
for _, where in ipairs { { 0, 32 }, { (1 << 30) - 256 - 2048, 32 },
                         { 1 << 32, 64 } } do
  local before = where[1] > 0 and where[1] or nil
  for _, line in ipairs { 8, 16, 24 } do
    local function check(what, body, o, settings)
      o.before, o.bits, o.sl1 = before, where[2], settings
      settings.line, settings.cache = line, "all"
      return equal(("%s behind %d"):format(what, where[1]), body, o)
    end
    local s = check("copy", copy, { turns = 32, words = 1024 + 8 },
                    { threshold = 20 })
    fills[line] = fills[line] or s.fills_by_param[0]
    same("fills", s.fills_by_param[0], fills[line])
    check("chain", chain, { turns = 100, b = 1, block = 1 },
          { threshold = 20 })
    check("pass", pass, { turns = 30, block = 64 }, { threshold = 7 })
    check("odd", odd, { turns = 32, words = 1056 },
          { threshold = 9, leave = "any" })
  end
end

-- A fence in each turn: every line is filled anew and written back.
do
  local s = equal("fences", copy .. "\tmembar.gl;\n", { turns = 32,
    sl1 = { threshold = 20, cache = "all" } })
  same("fences: hits", s.hits, 0)
  same("fences: fills", s.fills_by_param[0], 32 * 22)
end

-- The odd one, left at all places.
for _, threshold in ipairs { 1, 2, 3, 9, 50, 1000 } do
  for _, line in ipairs { 8, 16, 24 } do
    equal(("odd %d %d"):format(threshold, line), odd, { turns = 32,
      words = 1056, sl1 = { threshold = threshold, line = line,
                            cache = "all" } })
    equal(("odd, any %d %d"):format(threshold, line), odd, { turns = 32,
      words = 1056, sl1 = { threshold = threshold, line = line,
                            cache = "all", leave = "any" } })
  end
end

-- What is left alone, and why, is in the text.
local function text(body, options)
  local out
  loom.run { machine = loom.preset.tiny { sm_count = 1 },
             transform = loom.sl1(options or {}),
             workload = function(dev)
    out = dev:rewritten(dev:module(kernel(body)).k, { grid = 1, block = 32 })
  end }
  return out
end
local function says(what, body, pattern)
  if not text(body):find(pattern, 1, true) then
    error(("%s: the text does not say '%s'"):format(what, pattern), 0)
  end
end
says("atomics", copy .. "\tatom.global.add.u32 %r6, [%rd5], 1;\n",
     "b is never cached: it is accessed by atomics")
says("volatile", copy .. "\tst.volatile.global.u32 [%rd5], %r6;\n",
     "b is never cached: it is accessed by volatile or ordered operations")
says("wide", copy .. "\tmov.u32 %r6, %r5;\n" ..
     "\tld.global.v4.f64 {%rd6, %rd7, %rd8, %rd9}, [%rd4];\n",
     "a is never cached: its accesses are wider than what fits into a line")
says("fence", copy .. "\tmembar.gl;\n", "before a fence: flush")
says("nothing", "\tadd.u32 %r4, %r4, %r2;\n",
     "loop stays as it is: it accesses no data structure of its own")
equal("atomics", copy .. "\tatom.global.add.u32 %r6, [%rd5], 1;\n",
      { turns = 32, b = 0, sl1 = { threshold = 3, cache = "all" } })

-- Lines are what shared memory the threads that fit leave, and how many fit
-- the registers of the rewritten kernel say: of 32768, for 6 CTAs of 256
-- threads before and 4 after, which have 12 KiB each: 3 lines of 16 bytes for
-- its 3 structures.
do
  local function launched(transform)
    local run = loom.run {
      machine = loom.preset.titan_black { sm_count = 1, sm_registers = 32768 },
      transform = transform, workload = loom.suite.sl1_opinion {
        threads = 2048, block = 256, chunk = 16 } }
    return run.kernels[1].registers, run.kernels[1].shared_bytes
  end
  local function fit(registers)
    return 32768 // ((registers + 3) // 4 * 4 * 256)
  end
  local before, after, shared = launched(), launched(loom.sl1 {})
  same("CTAs of the original", fit(before), 6)
  same("CTAs of the rewritten kernel", fit(after), 4)
  same("bytes of its lines", shared, 256 * 16 *
       math.min(3, 49152 // fit(after) // 256 // 16))
end

-- What S-L1 adds to the registers of a thread: while accesses are counted, 3
-- for each structure, as in the paper, and 2 more; then, for a structure, its
-- tag and a bitmap, and 7 more, of which 4 are the line that is being filled.
do
  local want = { -- structures of a loop, registers before and after
    sl1_affinity_mark = { 2, 26, 24 }, sl1_affinity_count = { 2, 24, 22 },
    sl1_dna_enter = { 1, 30, 34 }, sl1_dna_merge = { 3, 34, 46 },
    sl1_grep = { 2, 24, 32 }, sl1_index = { 2, 28, 32 },
    sl1_kmeans = { 2, 21, 27 }, sl1_mm = { 3, 26, 38 },
    sl1_opinion = { 3, 20, 32 }, sl1_pageview = { 1, 16, 24 },
    sl1_upper = { 2, 10, 22 }, sl1_wc = { 1, 14, 22 },
  }
  local function registers(name, transform)
    local list = {}
    local run = loom.run { machine = loom.preset.titan_black { sm_count = 1 },
      transform = transform, workload = loom.suite[name] { size = "tiny" } }
    for _, launch in ipairs(run.kernels) do
      list[launch.name] = launch.registers
    end
    return list
  end
  for _, name in ipairs(loom.suite.list()) do
    if name:match "^sl1_" then
      local before, after = registers(name), registers(name, loom.sl1 {})
      for each, count in pairs(before) do
        local n = want[each][1]
        same(each .. " before", count, want[each][2])
        same(each .. " after", after[each], want[each][3])
        if after[each] - count > math.max(3 * n + 2, 2 * n + 7) + 1 then
          error(each .. " needs more than S-L1's values", 0)
        end
      end
    end
  end
end

-- Two kernels at once: a long one that starts first, and a short one, whose
-- table of instructions ends where the long one's goes on.
do
  local gpu = loom.preset.tiny { sm_count = 1, concurrent_kernels = 2 }
  gpu.host = loom.host { concurrent_kernels = 2 }
  loom.link(gpu.host, gpu)
  gpu:each "sm[*]":attach(loom.sl1_count {})
  local run = loom.run { machine = gpu, workload = function(dev)
    local long = kernel(("\tadd.u32 %r4, %r2, %r2;\n"):rep(400))
    dev:module((long:gsub("entry k", "entry long")))
    dev:module((kernel("\tadd.u32 %r4, %r2, %r2;\n"):gsub("entry k",
                                                          "entry short")))
    local a = dev:alloc({ type = "u32", count = 32 }, "a")
    local s, t = dev:stream(), dev:stream()
    local function launch(name, turns, stream)
      dev:launch(name, { grid = 1, block = 32, args = { a, a, turns },
                         stream = stream })
    end
    launch("long", 40, s)
    launch("short", 4, t)
  end }
  local counted = run.stats "gpu/sm/policy/sl1_count"
  same("all of both", counted.all, run.warp_insts)
  same("the programs' own", counted.insts.program, run.warp_insts)
  local one, two = run.kernels[1], run.kernels[2]
  same("at once", one.start < two.stop and two.start < one.stop, true)
end

print "S-L1 agrees"
