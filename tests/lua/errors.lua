-- Every message about a wrong script, word for word.
--
-- Each case is a name, a script, and the messages that it gives in `check`.
-- The scripts start in line 2: line 1 gets `local loom = require "warploom"`.

local H = require "harness"

local cases = {
  { "unknown type", [[
loom.cach {}
]],
    "t.lua:2: loom: there is no 'cach'; did you mean 'cache'?",
  },
  { "constructor wants a table", [[
loom.cache "64KiB"
]],
    "t.lua:2: cache: got \"64KiB\", expected a table: loom.cache { ..}",
  },
  { "unknown parameter", [[
loom.cache { wayz = 4 }
]],
    "t.lua:2: cache: there is no parameter 'wayz' (it was given 4); did you mean 'ways'?",
  },
  { "parameter out of range", [[
loom.cache { ways = 0 }
]],
    "t.lua:2: cache: parameter 'ways' is 0, expected a whole number 1..4096 (line)",
  },
  { "parameter is not whole", [[
loom.cache { ways = 2.5 }
]],
    "t.lua:2: cache: parameter 'ways' is 2.5, expected a whole number 1..4096 (line)",
  },
  { "parameter is a string", [[
loom.cache { ways = "4" }
]],
    "t.lua:2: cache: parameter 'ways' is \"4\", expected a whole number 1..4096 (line); did you mean 4 without quotes?",
  },
  { "parameter not a power of two", [[
loom.cache { line_bytes = 96 }
]],
    "t.lua:2: cache: parameter 'line_bytes' is 96, expected a power of two 32..128",
  },
  { "size with a wrong unit", [[
loom.cache { size_bytes = "16KB" }
]],
    "t.lua:2: cache: parameter 'size_bytes' is \"16KB\", expected a size 32..1TiB, such as \"64KiB\"; did you mean \"16KiB\"?",
  },
  { "size that is no size", [[
loom.cache { size_bytes = "big" }
]],
    "t.lua:2: cache: parameter 'size_bytes' is \"big\", expected a size 32..1TiB, such as \"64KiB\"",
  },
  { "frequency without a unit", [[
loom.gpu { clock = 700000000 }
]],
    "t.lua:2: gpu: 'clock' is 700000000, expected a frequency 1Hz..1THz, such as \"700MHz\"; did you mean \"700MHz\"?",
  },
  { "frequency in lower case", [[
loom.gpu { clock = "700mhz" }
]],
    "t.lua:2: gpu: 'clock' is \"700mhz\", expected a frequency 1Hz..1THz, such as \"700MHz\"; did you mean \"700MHz\"?",
  },
  { "boolean in quotes", [[
loom.sm { flush_l1 = "true" }
]],
    "t.lua:2: sm: parameter 'flush_l1' is \"true\", expected true or false; did you mean true without quotes?",
  },
  { "boolean wanted", [[
loom.sm { flush_l1 = 1 }
]],
    "t.lua:2: sm: parameter 'flush_l1' is 1, expected true or false",
  },
  { "choice", [[
loom.cache { write_policy = "writeback" }
]],
    "t.lua:2: cache: parameter 'write_policy' is \"writeback\", expected \"write_evict\", \"write_through\", \"write_back\"; did you mean \"write_back\"?",
  },
  { "line of a field in a long constructor", [[
local c = loom.cache {
  size_bytes = "16KiB",
  -- ways = 3, in a comment
  level = "ways = 4",
  ways = -1,
}
]],
    "t.lua:5: cache: parameter 'level' is \"ways = 4\", expected \"l1\", \"l15\", \"l2\", \"l3\"",
    "t.lua:6: cache: parameter 'ways' is -1, expected a whole number 1..4096 (line)",
  },
  { "bad name", [[
loom.cache { name = "My cache" }
]],
    "t.lua:2: cache: 'name' is \"My cache\", expected a lower-case word of at most 64 letters",
  },
  { "unknown read", [[
local c = loom.cache {}
print(c.size)
]],
    "t.lua:3: cache: there is no 'size'; did you mean 'size_bytes'?",
  },
  { "unknown read goes on", [[
local c = loom.cache {}
local x = c.nothing.at.all + 1
x.y = x()
for i in x do print(i) end
]],
    "t.lua:3: cache: there is no 'nothing'",
  },
  { "port assigned", [[
local c = loom.cache {}
c.up = 3
]],
    "t.lua:3: cache: port 'up' is not assigned but linked: loom.link(a.up, b.x)",
  },
  { "index out of range", [[
local g = loom.preset.tiny {}
g.sm[2].warps = 4
]],
    "t.lua:3: gpu.sm: index 2 does not exist, expected 0..1",
  },
  { "set on a list", [[
local g = loom.preset.tiny {}
g.sm.warps = 4
]],
    "t.lua:3: gpu.sm: 'warps' is set on all 2 at once; use :each \"sm[*]\":set { warps = .. }",
  },
  { "read on a list", [[
local g = loom.preset.tiny {}
print(g.sm.l1d)
]],
    "t.lua:3: gpu.sm: 'l1d' of all 2 is not one thing; name one, sm[0].l1d, or use :each \"sm[*].l1d\"",
  },
  { "list count", [[
loom.list(0, loom.sm {})
]],
    "t.lua:2: list: the count is 0, expected 1..65536",
  },
  { "list of what", [[
loom.list(2, loom.lru {})
]],
    "t.lua:2: list: got lru, expected a component such as loom.sm {}",
  },
  { "template changed after copying", [[
local sm = loom.sm {}
local g = loom.gpu { sm = loom.list(2, sm) }
sm.warps = 8
]],
    "t.lua:4: sm: 'warps' is set after the template was copied; set it before, or on each copy",
  },
  { "slot with a string", [[
loom.cache { replacement = "lruu" }
]],
    "t.lua:2: cache: slot 'replacement' is \"lruu\", expected a policy; did you mean loom.lru {}?",
  },
  { "slot with a policy of another hook", [[
loom.gpu { dispatch = loom.gto {} }
]],
    "t.lua:2: gpu: slot 'dispatch' asks 'dispatch', which policy 'gto' does not answer; these do: round_robin",
  },
  { "min in a timed cache", [[
local gpu = loom.preset.tiny { sm_count = 1, sm = { l1d = {
  replacement = loom.min {} } } }
loom.run { machine = gpu, workload = function() end }
]],
    "warploom/presets/tiny.lua:8: gpu[0].sm[0].l1d: min needs to know the accesses to come, which only loom.locality does: in a timed cache they depend on what hits",
  },
  { "another component in a locality", [[
local m = loom.locality { sms = 2, l1 = loom.dram {} }
loom.run { machine = m, workload = function() end }
]],
    "t.lua:2: locality[0]: 'l1' is a dram, expected a cache",
    "t.lua:2: locality[0].l1[0]: port 'up' (mem, server) has 0 links, expected at least 1; it can be linked to cache.down, crossbar.down, ldst.l1, ldst.l1c, ldst.l1t, mem_source.down, network.down, sm.l1i, tlb.down, tlb.walk, traffic.out, walker.down (and 1 more like it)",
  },
  { "a locality whose list has another length", [[
local m = loom.locality { sms = 2, l1 = loom.list(3, loom.cache {}) }
loom.run { machine = m, workload = function() end }
]],
    "t.lua:2: locality[0]: 'l1' has 3 caches, expected one, or 2: one for each SM",
  },
  { "time of a machine without time", [[
loom.run { machine = loom.locality { l1 = loom.cache {} },
           workload = function() end, stop = { cycles = 10 },
           stats = { series = { x = { every = "1us", select = "**" } } } }
]],
    "t.lua:3: run: 'stop.cycles' is given, but the machine has no time",
    "t.lua:4: run: 'stats.series' is given, but the machine has no time; it has snapshots",
  },
  { "a locality without a workload", [[
loom.run { machine = loom.locality { l1 = loom.cache {} } }
]],
    "t.lua:2: run: 'workload' is nil, expected loom.suite.NAME { .. } or a function(dev)",
  },
  { "slot with several policies", [[
loom.cache { replacement = { loom.lru {}, loom.fifo {} } }
]],
    "t.lua:2: cache: slot 'replacement' got 2 policies, but takes one",
  },
  { "policy to an unknown slot", [[
loom.cache { replacment = loom.lru {} }
]],
    "t.lua:2: cache: there is no slot 'replacment' (it was given lru); did you mean 'replacement'?",
  },
  { "attach what", [[
local c = loom.cache {}
c:attach("lru")
]],
    "t.lua:3: cache: got \"lru\", expected a policy such as loom.lru {}",
  },
  { "attach to an unknown slot", [[
local c = loom.cache {}
c:attach(loom.lru {}, "replacment")
]],
    "t.lua:3: cache: there is no slot 'replacment'; did you mean 'replacement'?",
  },
  { "attach to a policy", [[
local p = loom.lru {}
p:attach(loom.fifo {})
]],
    "t.lua:3: lru: policies are attached to components only",
  },
  { "set what", [[
local c = loom.cache {}
c:set "ways"
]],
    "t.lua:3: cache: set got \"ways\", expected a table",
  },
  { "shared what", [[
loom.shared { 3 }
]],
    "t.lua:2: shared: got 3, expected a policy: loom.shared { loom.lru {} }",
  },
  { "each without a match", [[
local g = loom.preset.tiny {}
g:each "sm[*].l1":set { ways = 4 }
]],
    "t.lua:3: gpu: each \"sm[*].l1\" matches nothing: there is no 'l1'; did you mean 'l1d'?",
  },
  { "each without an index", [[
local g = loom.preset.tiny {}
g:each "sm.l1d":set { ways = 4 }
]],
    "t.lua:3: gpu: each \"sm.l1d\" matches nothing: 'sm' is a list of 2; write sm[*] or sm[0]",
  },
  { "each with a bad index", [[
local g = loom.preset.tiny {}
g:each "sm[x].l1d":set { ways = 4 }
]],
    "t.lua:3: gpu: each \"sm[x].l1d\": the index is 'x', expected a number, a range such as 0-7, or *",
  },
  { "each of what", [[
local g = loom.preset.tiny {}
g:each(3)
]],
    "t.lua:3: gpu: each got 3, expected a pattern such as \"sm[*]\"",
  },
  { "set of a selection", [[
local g = loom.preset.tiny {}
g:each "sm[*]":set(3)
]],
    "t.lua:3: each \"sm[*]\" (2): set got 3, expected a table",
  },
  { "a field that none of a selection has", [[
local g = loom.preset.tiny {}
g:each "sm[*]".warp = 4
]],
    "t.lua:3: gpu.sm[0]: there is no parameter 'warp' (it was given 4); did you mean 'warps'? (and 1 more like it)",
  },
  { "a field of a selection", [[
local g = loom.preset.tiny {}
local l1 = g:each "sm[*]".l1d
]],
    "t.lua:3: each \"sm[*]\" (2): 'l1d' of all 2 is not one thing; go on with :each \"l1d\", or name one",
  },
  { "unknown port", [[
local c = loom.cache {}
c:port "upp"
]],
    "t.lua:3: cache: there is no port 'upp'; did you mean 'up'?",
  },
  { "port index", [[
local c = loom.cache {}
local p = c.up[64]
]],
    "t.lua:3: cache: port 'up' has no index 64, expected 0..63",
  },
  { "field of a port", [[
local c = loom.cache {}
local p = c.up.latency
]],
    "t.lua:3: cache: 'up' is a port and has no 'latency'",
  },
  { "link of what", [[
loom.link(3, loom.cache {})
]],
    "t.lua:2: link: got 3, expected a port or a component",
  },
  { "link of a list", [[
local g = loom.preset.tiny {}
loom.link(g, g.sm)
]],
    "t.lua:3: link: got gpu.sm, expected a port or a component; name one of the list, [0] say",
  },
  { "link with an unknown option", [[
local a, b = loom.ldst {}, loom.cache {}
loom.link(a, b, { latncy = 2 })
]],
    "t.lua:3: link: there is no option 'latncy'; did you mean 'latency'?",
  },
  { "link with a bad latency", [[
local a, b = loom.ldst {}, loom.cache {}
loom.link(a, b, {
  request = { latency = 0 },
})
]],
    "t.lua:3: link: 'latency' is 0, expected 1..100000 (cycle)",
  },
  { "link options of what", [[
local a, b = loom.ldst {}, loom.cache {}
loom.link(a, b, 3)
]],
    "t.lua:3: link: got 3, expected a table such as { latency = 4 }",
  },
  { "link of two servers", [[
local a, b = loom.dram {}, loom.cache {}
loom.link(a.up, b.up)
]],
    "t.lua:3: link: dram.up and cache.up are both servers; a link has a client and a server",
  },
  { "link of two protocols", [[
local a, b = loom.sm {}, loom.cache {}
loom.link(a.ldst, b.up)
]],
    "t.lua:3: link: sm.ldst speaks 'warp' and cache.up 'mem'; linked ports have one protocol",
  },
  { "link without fitting ports", [[
loom.link(loom.dram {}, loom.sm {})
]],
    "t.lua:2: link: dram has no port that fits one of sm",
  },
  { "splice of what", [[
local c = loom.cache {}
loom.splice(3, c.up, c.down)
]],
    "t.lua:3: splice: the first argument is 3, expected a linked port",
  },
  { "splice with the ports exchanged", [[
local g = loom.preset.tiny {}
local c = loom.cache {}
loom.splice(g.l2.down, c.down, c.up)
]],
    "t.lua:4: splice: the second argument is cache.down, which is a client; expected a server",
    "t.lua:4: splice: the third argument is cache.up, which is a server; expected a client",
  },
  { "splice of an edge that is not there", [[
local a, c = loom.cache {}, loom.cache {}
loom.splice(a.down, c.up, c.down)
]],
    "t.lua:3: splice: cache.down has 0 links, expected one",
  },
  { "splice of another protocol", [[
local g = loom.preset.tiny {}
local c = loom.cache {}
loom.splice(g.sm[0].gpu, c.up, c.down)
]],
    "t.lua:4: splice: gpu.sm speaks 'cta' and cache.up 'mem'",
  },
  { "unconnected port", [[
local g = loom.preset.tiny {}
loom.link(g.sm[0].l1d, g.xbar)
g.extra = loom.cache {}
return g
]],
    "t.lua:3: gpu[0].sm[0].l1d: port 'down' is linked already, to gpu[0].xbar.up (warploom/presets/tiny.lua:23); now also to gpu[0].xbar.up",
    "t.lua:4: gpu[0].extra: port 'up' (mem, server) has 0 links, expected at least 1; it can be linked to cache.down, crossbar.down, ldst.l1, ldst.l1c, ldst.l1t, mem_source.down, network.down, sm.l1i, tlb.down, tlb.walk, traffic.out, walker.down",
    "t.lua:4: gpu[0].extra: port 'down' (mem, client) has 0 links, expected at least 1; it can be linked to cache.up, crossbar.up, dram.up, network.up, tlb.up, traffic.in, walker.up",
  },
  { "port linked twice", [[
local g = loom.preset.tiny {}
local d = loom.dram {}
loom.link(g.l2.down, d.up)
return g
]],
    "t.lua:4: gpu[0].l2: port 'down' is linked already, to gpu[0].dram.up (warploom/presets/tiny.lua:26); now also to gpu[0].dram2.up",
  },
  { "port index linked twice", [[
local g = loom.preset.tiny {}
g.other = loom.cache { level = "l2" }
loom.link(g.other.down, g.dram.up[0])
return g
]],
    "t.lua:3: gpu[0].other: port 'up' (mem, server) has 0 links, expected at least 1; it can be linked to cache.down, crossbar.down, ldst.l1, ldst.l1c, ldst.l1t, mem_source.down, network.down, sm.l1i, tlb.down, tlb.walk, traffic.out, walker.down",
  },
  { "hole in a port vector", [[
local g = loom.preset.tiny {}
g.other = loom.cache { level = "l2" }
loom.link(g.other.down, g.dram.up[2])
return g
]],
    "t.lua:3: gpu[0].other: port 'up' (mem, server) has 0 links, expected at least 1; it can be linked to cache.down, crossbar.down, ldst.l1, ldst.l1c, ldst.l1t, mem_source.down, network.down, sm.l1i, tlb.down, tlb.walk, traffic.out, walker.down",
    "warploom/presets/tiny.lua:19: gpu[0].dram: port 'up' has a hole: index 2 is linked, but there are only 2 links",
  },
  { "linked but not in the machine", [[
local sm = loom.sm { ldst = loom.ldst {}, l1d = loom.cache {} }
local g = loom.preset.tiny {}
local l = loom.list(2, sm)
loom.link(sm.l1d, g.xbar)
return g
]],
    "t.lua:5: sm.l1d: is linked but not part of the machine (a template that was copied?)",
  },
  { "no clock", [[
return loom.dram {}
]],
    "t.lua:2: dram[0]: there is no clock; give clock = \"700MHz\" here or above",
    "t.lua:2: dram[0]: port 'up' (mem, server) has 0 links, expected at least 1; it can be linked to cache.down, crossbar.down, ldst.l1, ldst.l1c, ldst.l1t, mem_source.down, network.down, sm.l1i, tlb.down, tlb.walk, traffic.out, walker.down",
  },
  { "relation between parameters", [[
local g = loom.preset.tiny {}
g.l2.size_bytes = "24KiB"
g.l2.ways = 7
return g
]],
    "t.lua:3: gpu[0].l2: parameter 'size_bytes' is 24576, expected a multiple of ways * line_bytes = 896",
  },
  { "policy without a slot", [[
local g = loom.preset.tiny {}
g.dram:attach(loom.lru {})
return g
]],
    "t.lua:3: gpu[0].dram: policy 'lru' answers 'replacement', which no slot of gpu[0].dram asks; these do: cache.replacement",
  },
  { "policy with several slots", [[
local g = loom.preset.tiny {}
g:attach(loom.lru {})
return g
]],
    "t.lua:3: gpu[0]: policy 'lru' answers 'replacement', which several slots ask: gpu[0].l2.replacement, gpu[0].sm[0].l1d.replacement, gpu[0].sm[1].l1d.replacement; attach it to one of them",
  },
  { "two replacements", [[
local g = loom.preset.tiny {}
g.l2:attach(loom.lru {})
g.l2:attach(loom.fifo {})
return g
]],
    "t.lua:4: gpu[0].l2: slot 'replacement' already holds 'lru' (line 3) and takes one policy; 'fifo' cannot be chained with it",
  },
  { "machine is part of another", [[
local g = loom.preset.tiny {}
return g.l2
]],
    "warploom/presets/tiny.lua:17: gpu.l2: is part of another record; a machine is the whole tree",
  },
  { "unknown preset", [[
loom.preset.tinny {}
]],
    "t.lua:2: preset: there is no preset 'tinny'; did you mean 'tiny'?",
  },
  { "preset wants a table", [[
loom.preset.tiny(3)
]],
    "t.lua:2: tiny: got 3, expected a table",
  },
  { "preset parameter", [[
loom.preset.tiny { sm_count = 99 }
]],
    "t.lua:2: tiny: parameter 'sm_count' is 99, expected a whole number 1..16",
  },
  { "field of a preset", [[
loom.preset.tiny {
  sm = {
    warpz = 8,
  },
}
]],
    "t.lua:4: gpu.sm[0]: there is no parameter 'warpz' (it was given 8); did you mean 'warps'? (and 1 more like it)",
  },
  { "unknown workload", [[
loom.suite.nothing {}
]],
    "t.lua:2: suite: there is no workload 'nothing'; see warploom suite list",
  },
  { "workload wants a function", [[
loom.workload { name = "x" }
]],
    "t.lua:2: workload: needs a function: loom.workload { name = .., run = function(dev) .. end }",
  },
  { "option without default", [[
loom.option { name = "x" }
]],
    "t.lua:2: option: needs a name and a default: loom.option { name = .., default = .., doc = .. }",
  },
  { "option with an unknown field", [[
loom.option { name = "x", default = 1, choises = { 1 } }
]],
    "t.lua:2: option x: there is no field 'choises'; did you mean 'choices'?",
  },
  { "option twice", [[
loom.option { name = "x", default = 1 }
loom.option { name = "x", default = 2 }
]],
    "t.lua:3: option x: is declared twice, first at line 2",
  },
  { "run wants a table", [[
loom.run(3)
]],
    "t.lua:2: run: got 3, expected a table: loom.run { machine = .., workload = .. }",
  },
  { "run fields", [[
loom.run { machin = loom.preset.tiny {}, workload = print }
]],
    "t.lua:2: run: there is no field 'machin'; did you mean 'machine'?",
    "t.lua:2: run: 'machine' is nil, expected a component such as loom.preset.tiny {}",
  },
  { "run machine and workload", [[
loom.run { machine = 3, workload = 4 }
]],
    "t.lua:2: run: 'machine' is 3, expected a component such as loom.preset.tiny {}",
    "t.lua:2: run: 'workload' is 4, expected loom.suite.NAME { .. } or a function(dev)",
  },
  { "run without a workload", [[
loom.run { machine = loom.preset.tiny {} }
]],
    "t.lua:2: run: 'workload' is nil, expected loom.suite.NAME { .. } or a function(dev)",
  },
  { "run without a host", [[
local m = loom.mem_source { clock = "1GHz" }
m.dram = loom.memory.hbm2 { channels = 1, slices_per_channel = 1, clock = "1GHz" }
loom.link(m, m.dram)
loom.run { machine = m, workload = print }
]],
    "t.lua:5: run: the machine has no host: there is no free launch port to put one at; it runs by itself if 'workload' is left out",
  },
  { "memories", [[
loom.memory.hbm3 {}
loom.memory.gddr5 { tcasl = 4 }
loom.memory.gddr5(7)
]],
    "t.lua:2: memory: there is no memory 'hbm3'; did you mean 'hbm'?",
    "t.lua:3: dram: there is no parameter 'tcasl' (it was given 4)",
    "t.lua:4: gddr5: got 7, expected a table",
  },
  { "run stats", [[
loom.run { machine = loom.preset.tiny {}, workload = print,
  stats = { fil = "x", snapshot = { "kernel" }, series = 3 },
  seed = 0, memory = "x", patience = 3,
}
]],
    "t.lua:3: run: there is no field 'stats.fil'; did you mean 'file'?",
    "t.lua:3: run: snapshot \"kernel\" does not exist; did you mean 'kernel_end'?",
    "t.lua:3: run: 'series' is 3, expected a table",
    "t.lua:4: run: 'seed' is 0, expected a whole number of at least 1",
    "t.lua:4: run: 'memory' is \"x\", expected a size such as \"4GiB\"",
    "t.lua:4: run: 'patience' is 3, expected a duration with a unit, such as \"10us\"",
  },
  { "run checks and transforms", [[
loom.run { machine = loom.preset.tiny {}, workload = print,
  check = { "races", "race" }, transform = 3, stream_pool = "much",
  out_of_bounds = "zeros",
}
]],
    "t.lua:3: run: 'transform' is 3, expected a policy or a list of policies",
    "t.lua:3: run: 'check' is \"race\", expected \"uninitialised\", \"races\" or a list of them; did you mean 'races'?",
    "t.lua:3: run: 'stream_pool' is \"much\", expected a size such as \"256MiB\"",
    "t.lua:4: run: 'out_of_bounds' is \"zeros\", expected \"error\" or \"zero\"; did you mean 'zero'?",
  },
  { "run sample", [[
loom.run { machine = loom.preset.tiny {}, workload = print,
  sample = { error = "2", window = 0, lives = "x", warm = -1, wave = 3 },
}
loom.run { machine = loom.preset.tiny {}, workload = print, sample = 3 }
loom.run { machine = loom.preset.tiny {}, workload = print,
  sample = { windows = { { kernel = 3, from = -1, to = 3, ramp = "x" } } } }
]],
    "t.lua:3: run: there is no field 'sample.wave'; did you mean 'waves'?",
    "t.lua:3: run: 'sample.error' is \"2\", expected a share of the time, such as \"1%\"",
    "t.lua:3: run: 'sample.lives' is \"x\", expected a number from 0 to 1000",
    "t.lua:3: run: 'sample.warm' is -1, expected a number from 0 to 1000",
    "t.lua:3: run: 'sample.window' is 0, expected a whole number of at least 1",
    "t.lua:5: run: 'sample' is 3, expected true or { error = \"1%\" }",
    "t.lua:7: run: there is no field 'sample.windows[1].to'; there is from, insts, kernel, launch, ramp",
    "t.lua:7: run: 'sample.windows[1].kernel' is 3, expected a kernel's name, in which * is anything, or a regular expression",
    "t.lua:7: run: 'sample.windows[1].from' is -1, expected a whole number of at least 0",
    "t.lua:7: run: 'sample.windows[1].insts' is nil, expected a whole number of at least 1",
    "t.lua:7: run: 'sample.windows[1].ramp' is \"x\", expected a whole number of at least 0",
  },
  { "run timed", [[
loom.run { machine = loom.preset.tiny {}, workload = print,
  timed = { kernel = "x", kernels = "", first = -1, last = "x", skip = -1,
            time = 0 },
}
loom.run { machine = loom.preset.tiny {}, workload = print, timed = "x" }
loom.run { machine = loom.preset.tiny {}, workload = print,
  timed = { kernels = { "x", 3 } } }
loom.run { machine = loom.preset.tiny {}, workload = print,
  timed = {
    kernels = 3,
    first = 4, last = 3 } }
loom.run { machine = loom.preset.tiny {}, workload = print,
  timed = { kernels = "a,(b,c.{3},[d" } }
]],
    "t.lua:3: run: there is no field 'timed.kernel'; did you mean 'kernels'?",
    "t.lua:3: run: 'timed.kernels' is \"\", expected a kernel's name, in which * is anything, a regular expression, or a list of them",
    "t.lua:3: run: 'timed.first' is -1, expected a whole number of at least 0",
    "t.lua:3: run: 'timed.last' is \"x\", expected a whole number of at least 0",
    "t.lua:3: run: 'timed.skip' is -1, expected a whole number of at least 0",
    "t.lua:4: run: 'timed.time' is 0, expected a whole number of at least 1",
    "t.lua:6: run: 'timed' is \"x\", expected { kernels = \"name*\", first =, last =, skip =, time = }",
    "t.lua:8: run: 'timed.kernels' has 3, expected a kernel's name, in which * is anything, or a regular expression",
    "t.lua:11: run: 'timed.kernels' is 3, expected a kernel's name, in which * is anything, a regular expression, or a list of them",
    "t.lua:12: run: 'timed.first' is 4, expected at most 'timed.last', which is 3",
    "t.lua:14: run: 'timed.kernels' has \"(b\", expected a regular expression: Unmatched ( or \\(",
    "t.lua:14: run: 'timed.kernels' has \"c.{3}\", expected a regular expression of at most 255 characters and without { } \\",
    "t.lua:14: run: 'timed.kernels' has \"[d\", expected a regular expression: Unmatched [, [^, [:, [., or [=",
  },
  { "run transform of another hook", [[
loom.run { machine = loom.preset.tiny {}, workload = print,
  transform = loom.lru {},
}
]],
    "t.lua:3: gpu[0].host: slot 'transform' asks 'transform', which policy 'lru' does not answer; these do: sl1",
  },
  { "run series", [[
loom.run { machine = loom.preset.tiny {}, workload = print,
  stats = {
    file = 3,
    series = {
      a = 3,
      b = { every = 10, select = "**" },
      c = { every = "1us" },
      d = { evry = "1us", select = "**" },
    },
  },
}
]],
    "t.lua:4: run: 'stats.file' is 3, expected a path",
    "t.lua:6: run: series 'a' is 3, expected name = { every = \"10us\", select = \"**.dram.*\" }",
    "t.lua:7: run: 'b.every' is 10, expected a duration with a unit, such as \"10us\"",
    "t.lua:8: run: series 'c' needs select = a pattern or a list of them",
    "t.lua:9: run: there is no field 'stats.series.d.evry'; did you mean 'every'?",
    "t.lua:9: run: 'd.every' is nil, expected a duration with a unit, such as \"10us\"",
  },
  { "run stop", [[
loom.run { machine = loom.preset.tiny {}, workload = print,
  stop = { warp_inst = 5, cycles = -1, time = 3 },
}
]],
    "t.lua:3: run: there is no field 'stop.warp_inst'; did you mean 'warp_insts'?",
    "t.lua:3: run: 'stop.cycles' is -1, expected a whole number of at least 1",
    "t.lua:3: run: 'stop.time' is 3, expected a duration with a unit, such as \"10us\"",
  },
  { "run stop of what", [[
loom.run { machine = loom.preset.tiny {}, workload = print, stop = 3,
  stats = 3 }
]],
    "t.lua:2: run: 'stop' is 3, expected { warp_insts = .. }",
    "t.lua:3: run: 'stats' is 3, expected { file = .. }",
  },
  { "module read only", [[
loom.cache = 3
]],
    "t.lua:2: loom: 'cache' cannot be set: the module is read only",
  },
  { "undefined variable", [[
local length = 3
print(tabel)
]],
    "t.lua:3: there is no variable 'tabel'; did you mean 'table'?",
  },
  { "assigned global", [[
result = 3
]],
    "t.lua:2: 'result' is assigned as a global; write local result",
  },
  { "missing require", [[
local m = require "no.such.module"
]],
    "t.lua:2: module 'no.such.module' is not found; tried no/such/module.lua, lua/no/such/module.lua",
  },
  { "ipairs over a list", [[
local g = loom.preset.tiny {}
for i, sm in ipairs(g.sm) do print(i, sm) end
]],
    "t.lua:3: gpu.sm: ipairs starts at 1, hardware indices start at 0; use `for i = 0, #x - 1`, pairs, or :each \"sm[*]\"",
  },
  { "ipairs over a component", [[
local g = loom.preset.tiny {}
for i, sm in ipairs(g) do print(i, sm) end
]],
    "t.lua:3: gpu: ipairs over a component; use pairs for its children",
  },
  { "pairs over a table with table keys", [[
for k in pairs { [{}] = 1 } do print(k) end
]],
    "t.lua:2: error: pairs over a table with a table as key has no order that repeats; use an array",
  },
  { "os.execute", [[
os.execute "true"
]],
    "t.lua:2: error: os.execute is not available to scripts: it runs other programs; --unsafe allows it",
  },
  { "io.popen", [[
io.popen "true"
]],
    "t.lua:2: error: io.popen is not available to scripts: it runs other programs; --unsafe allows it",
  },
  { "os.time", [[
print(os.time())
]],
    "t.lua:2: error: os.time is not available to scripts: scripts must repeat; simulated time is run.seconds",
  },
  { "math.randomseed", [[
math.randomseed()
]],
    "t.lua:2: error: math.randomseed needs a seed: scripts must repeat",
  },
  { "string.dump", [[
load(string.dump(print))
]],
    "t.lua:2: error: attempt to call a nil value (field 'dump')",
  },
  { "an error of the script", [[
local t = nil
print(t.x)
]],
    "t.lua:3: error: attempt to index a nil value (local 't')",
  },
  { "error with text", [[
error "stop here"
]],
    "t.lua:2: error: stop here",
  },
  { "syntax error", [[
local x = = 3
]],
    "t.lua:2: syntax error: unexpected symbol near '='",
  },
  { "energy: wrong fields", [[
loom.energy { chip = "gtx48", level = "fited", nod = 40 }
]],
    "t.lua:2: energy: there is no field 'nod'; did you mean 'node'?",
    "t.lua:2: energy: 'chip' is \"gtx48\"; did you mean 'gtx480'?",
    "t.lua:2: energy: 'level' is \"fited\"; did you mean 'fitted'?",
  },
  { "energy: a node that nobody knows", [[
loom.energy { node = 65 }
]],
    "t.lua:2: energy: 'node' is 65, expected 22..45 (nm), the nodes of CACTI's tables; leakage cannot be told beyond them",
  },
  { "energy: events", [[
loom.energy { events = {
  ["sm.floot"] = 1,
  ["cache.read"] = "60pW",
  ["gpu.sm.ldst.constant"] = "1pJ",
} }
]],
    "t.lua:2: energy: event 'cache.read' is \"60pW\", expected an energy 0..1000000, such as \"60pJ\"",
    "t.lua:2: energy: there is no event 'sm.floot'; did you mean 'sm.float'?",
  },
  { "energy: an event that the machine has not", [[
loom.run { machine = loom.preset.tiny {}, workload = function() end,
  energy = loom.energy { events = { ["gpu.l3.read"] = "1pJ" } } }
]],
    "t.lua:3: energy: the machine has no event 'gpu.l3.read'; did you mean 'gpu.l2.read'?",
  },
  { "energy: a number is no model", [[
loom.run { machine = loom.preset.tiny {}, workload = function() end,
  energy = 45 }
]],
    "t.lua:3: run: 'energy' is 45, expected loom.energy { .. }",
  },
  { "dacache without a scheduler that ranks", [[
local gpu = loom.preset.gtx480 { sm = { scheduler = loom.lrr {} } }
gpu:each "sm[*].l1d":attach(loom.dacache {})
loom.run { machine = gpu, workload = loom.suite.bfs {} }
]],
    "t.lua:2: gpu[0].sm[0]: gpu[0].sm[0].l1d.policy.dacache: the scheduler of this SM does not rank its warps, expected one with a lasting order (gto or oldest, for example): dacache places blocks by it",
  },
  { "dacache with more fully cached warps than there are", [[
local gpu = loom.preset.gtx480 {}
gpu:each "sm[*].l1d":attach(loom.dacache { fcw_min = 49 })
loom.run { machine = gpu, workload = loom.suite.bfs {} }
]],
    "t.lua:2: gpu[0].sm[0]: gpu[0].sm[0].l1d.policy.dacache: 'fcw_min' is 49, expected at most the SM's 'warps' (48)",
  },
  { "dacache whose misses would wait forever", [[
local gpu = loom.preset.gtx480 {}
gpu:each "sm[*].l1d":attach(loom.dacache { constrained = "stall",
                                          replaceable_ways = 0 })
loom.run { machine = gpu, workload = loom.suite.bfs {} }
]],
    "t.lua:3: gpu[0].sm[0].l1d.policy.dacache: 'replaceable_ways' is 0, expected at least 1 where 'constrained' is 'stall': a miss would wait for a way forever (and 14 more like it)",
  },
  { "a component that is a part of itself", [[
local gpu = loom.preset.tiny {}
gpu.l2.x = gpu.l2
gpu.sm[0].x = gpu
gpu.sm[1].x = { loom.cache {}, gpu }
local list = loom.list(2, loom.sm {})
list[0].y = list
loom.run { machine = gpu, workload = loom.suite.bfs {} }
]],
    "t.lua:3: gpu[0].l2: child 'x' is the component itself: a component cannot be a part of itself",
    "t.lua:4: gpu[0].sm[0]: child 'x' is the component that it is in: a component cannot be a part of itself",
    "t.lua:5: gpu[0].sm[1]: child 'x' is the component that it is in: a component cannot be a part of itself",
    "t.lua:7: sm: child 'y' is the component itself: a component cannot be a part of itself",
  },
  { "a machine of too many levels", [[
local a = loom.cache {}
for _ = 1, 64 do
  local b = loom.cache {}
  b.x = a
  a = b
end
]],
    "t.lua:5: cache: child 'x' is on level 65, expected at most 64",
  },
  { "components where policies belong, and parameters", [[
local gpu = loom.preset.tiny {}
gpu.l2.replacement = loom.cache {}
gpu.sm[0].scheduler = loom.list(2, loom.sm {})
gpu.l2.ways = loom.cache {}
]],
    "t.lua:3: gpu.l2: slot 'replacement' is cache, expected a policy such as loom.bip {}",
    "t.lua:4: gpu.sm[0]: slot 'scheduler' is list, expected a policy such as loom.gto {}",
    "t.lua:5: gpu.l2: parameter 'ways' is cache, expected a whole number 1..4096 (line)",
  },
  { "suggestions that would be accepted", [[
local gpu = loom.preset.tiny { sm_cuont = 3 }
gpu:each "l2[*]":set { ways = 8 }
gpu:each "sm[7]":set { warps = 8 }
gpu.l2.size_bytes = "64TiB"
gpu.l2.ways = "5000"
gpu.l2.line_bytes = "64kb"
gpu.l2.hit_latncy = true
gpu.l2.hit_latncy = 3
gpu.clock = 1750
gpu.clock = 1.4
gpu.clock = "5000ghz"
gpu.dram.pge = loom.gto {}
gpu.dram.pge = loom.closed_page {}
gpu.l2 = loom.lru {}
]],
    "t.lua:2: tiny: there is no parameter 'sm_cuont' (it was given 3); did you mean 'sm_count'?",
    "t.lua:3: gpu: each \"l2[*]\" matches nothing: 'l2' is one component; write it without an index",
    "t.lua:4: gpu: each \"sm[7]\" matches nothing: 'sm' has 0..1",
    "t.lua:5: gpu.l2: parameter 'size_bytes' is \"64TiB\", expected a size 32..1TiB, such as \"64KiB\"",
    "t.lua:6: gpu.l2: parameter 'ways' is \"5000\", expected a whole number 1..4096 (line)",
    "t.lua:7: gpu.l2: parameter 'line_bytes' is \"64kb\", expected a power of two 32..128, such as 128",
    "t.lua:8: gpu.l2: there is no parameter 'hit_latncy' (it was given true)",
    "t.lua:9: gpu.l2: there is no parameter 'hit_latncy' (it was given 3); did you mean 'hit_latency'?",
    "t.lua:10: gpu: 'clock' is 1750, expected a frequency 1Hz..1THz, such as \"700MHz\"; did you mean \"1750MHz\"?",
    "t.lua:11: gpu: 'clock' is 1.4, expected a frequency 1Hz..1THz, such as \"700MHz\"; did you mean \"1.4GHz\"?",
    "t.lua:12: gpu: 'clock' is \"5000ghz\", expected a frequency 1Hz..1THz, such as \"700MHz\"",
    "t.lua:13: gpu.dram: there is no slot 'pge' (it was given gto)",
    "t.lua:14: gpu.dram: there is no slot 'pge' (it was given closed_page); did you mean 'page'?",
    "t.lua:15: gpu: there is no slot 'l2' (it was given lru)",
  },
  { "a cache that is linked to itself", [[
local gpu = loom.preset.tiny {}
gpu.l3 = loom.cache { level = "l2" }
loom.link(gpu.l3.down, gpu.l3.up)
loom.run { machine = gpu, workload = loom.suite.bfs {} }
]],
    "t.lua:4: gpu[0].l3: port 'down' is linked to port 'up' of the component itself: what it asked for it would wait for",
  },
  { "lines that become shorter", [[
local gpu = loom.preset.tiny {}
gpu.l2.line_bytes = 64
loom.run { machine = gpu, workload = loom.suite.bfs {} }
]],
    "t.lua:3: gpu[0].l2: parameter 'line_bytes' is 64, but gpu[0].sm[0].l1d asks for lines of 128 bytes: lines may not become shorter on the way to memory",
  },
  { "an SM for fewer warps than the gpu gives it", [[
local gpu = loom.preset.tiny {}
gpu.sm[1].warps = 1
loom.run { machine = gpu, workload = loom.suite.bfs {} }
]],
    "t.lua:3: gpu[0].sm[1]: parameter 'warps' is 1, but gpu[0] gives it up to 'sm_threads' = 1536 threads, 48 warps",
  },
  { "a map of more banks than there are", [[
local gpu = loom.preset.tiny {}
gpu.dram.map = loom.linear_map { banks = 64 }
loom.run { machine = gpu, workload = loom.suite.bfs {} }
]],
    "warploom/presets/tiny.lua:19: gpu[0].dram: parameter 'banks' of the map is 64, but the channel has 16 banks",
  },
  { "flushes of what is no cache", [[
local gpu = loom.gpu { clock = "1GHz", sm = loom.sm { ldst = loom.ldst {} },
                       dram = loom.dram { channels = 1, slices_per_channel = 1 } }
loom.link(gpu, gpu.sm)
loom.link(gpu.sm, gpu.sm.ldst)
loom.link(gpu.sm.ldst, gpu.dram)
loom.run { machine = gpu, workload = loom.suite.bfs {} }
]],
    "t.lua:2: gpu[0].sm.ldst: parameter 'flushes_l1' is true, but gpu[0].dram at port 'l1' is no cache that could be flushed; 'flush_l1' of the SM must be false, too",
  },
  { "statistics and series that are not there", [[
local run = loom.run { machine = loom.preset.tiny {}, workload = loom.suite.bfs {},
  stats = { file = "x.h5", series = {
    a = { every = "1us", select = "**.drum.*" } } } }
print(run.stats "gpu/sm/l1dd".hits)
print(run.stats "gpu/sm/l1d".hitz)
]],
    "t.lua:4: series a: pattern '**.drum.*' matches no statistic; did you mean 'gpu.dram.cycles'?",
    "t.lua:5: run.stats: the machine has no 'gpu/sm/l1dd'; did you mean 'gpu/sm/l1d'?",
    "t.lua:6: run.stats: 'gpu/sm/l1d' has no statistic 'hitz'; did you mean 'hits'?",
  },
  { "several mistakes are sorted", [[
local a = loom.cache { ways = 0 }
b = 3
local c = loom.cach {}
]],
    "t.lua:2: cache: parameter 'ways' is 0, expected a whole number 1..4096 (line)",
    "t.lua:3: 'b' is assigned as a global; write local b",
    "t.lua:4: loom: there is no 'cach'; did you mean 'cache'?",
  },
}

for _, case in ipairs(cases) do
  H.test(case[1], function()
    local text = 'local loom = require "warploom"\n' .. case[2]
    local lines, _, status = H.run(text, { mode = "check" })
    H.lines(lines, table.move(case, 3, #case, 1, {}))
    H.equal(status, 1, "the exit status")
  end)
end

H.finish()
