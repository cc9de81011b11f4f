-- loom.preset.gpgpusim: configurations of GPGPU-Sim as machines, and what is
-- said about those that are none.

local H = require "harness"
local test, equal = H.test, H.equal

local data = arg[1] -- absolute

local function script(machine)
  return ([[
local loom = require "warploom"
loom.run { machine = %s, workload = loom.suite.bicg { rows = 96, columns = 40 } }
]]):format(machine)
end

local function digest(machine)
  local lines, _, status = H.run(script(machine))
  equal(status, 0, "status of " .. machine .. ": " .. (lines[1] or ""))
  return H.runs()[1].digest
end

local function config(name)
  return ("loom.preset.gpgpusim %q"):format(data .. "/" .. name)
end

test("an imported GTX 480 is the preset", function()
  local imported = digest(config "fermi4.config")
  assert(imported ~= nil, "no digest")
  equal(imported, digest "loom.preset.gtx480 {}", "digest")
end)

test("overrides, and the number of SMs", function()
  local path = data .. "/fermi4.config"
  equal(digest(("loom.preset.gpgpusim { %q, sm_count = 3, sm = { scheduler " ..
               "= loom.lrr {} } }"):format(path)),
        digest("loom.preset.gtx480 { sm_count = 3, sm = { scheduler = " ..
               "loom.lrr {} } }"), "digest")
end)

test("the spelling of 3.x", function()
  local map = H.import "gpgpusim/gpgpusim"
  local d = map.describe(data .. "/fermi3.config", {}, { file = "t.lua",
                                                         line = 1 })
  equal(d.l1d.mshr_entries[1], 32)
  equal(d.l1d.hit_latency[1], 0)
  equal(d.l2.write_miss[1], "write_allocate")
  equal(d.l2.sector_bytes, nil)
  equal(d.dram.tccdl[1], 3)
  equal(d.dram.queue_entries[1], 16)
  equal(d.path.rop[1], 120)
  equal(d.noc.input_buffer_flits[1], 8)
  equal(d.sm.sp_latches[1], 2)
  equal(d.sm.result_bus_width[1], 2)
  equal(d.slots.scheduler[1], "lrr")
  assert(d.l1d.size_bytes[2]:find "fermi3.config:%d+ %-gpgpu_cache:dl1",
         d.l1d.size_bytes[2])
  digest(config "fermi3.config")
end)

-- A copy of the good configuration with lines added; returns the messages
-- without the path.
local function messages(extra, machine)
  local path = os.tmpname()
  local good = assert(io.open(data .. "/fermi4.config")):read "a"
  good = good:gsub("fermi4.icnt", data .. "/fermi4.icnt")
  local lines = select(2, good:gsub("\n", ""))
  local file = assert(io.open(path, "w"))
  file:write(good, extra)
  file:close()
  local problems, warnings = H.run(script((machine or
    "loom.preset.gpgpusim %q"):format(path)))
  os.remove(path)
  local out = {}
  for _, list in ipairs { problems, warnings } do
    for _, line in ipairs(list) do
      line = line:gsub("^[^:]*:(%d+): ", function(n)
        return ("+%d: "):format(tonumber(n) - lines)
      end)
      out[#out + 1] = line
    end
  end
  return out
end

test("mistakes have a line and a suggestion, all at once", function()
  H.lines(messages [[
-gpgpu_n_clusterss 15
-gpgpu_shader_cta many
-gpgpu_cache:dl1 32:128
-gpgpu_dram_timing_opt nbk=16:ABC=2
stray
-gpgpu_n_mem
]], {
    "+1: gpgpusim: -gpgpu_n_clusterss: there is no such option; did you " ..
      "mean 'gpgpu_n_clusters'?",
    "+2: gpgpusim: -gpgpu_shader_cta is 'many', expected a whole number",
    "+3: gpgpusim: -gpgpu_cache:dl1 is '32:128', expected sets:line:ways," ..
      "repl:write:alloc:write_alloc[:index],mshr:entries:merges," ..
      "queue[:fifo][,port], perhaps with N: or S: in front",
    "+4: gpgpusim: -gpgpu_dram_timing_opt is 'nbk=16:ABC=2', expected " ..
      "nbk:CCD:RRD:RCD:RAS:RP:RC:CL:WL:CDLR:WR:nbkgrp:CCDL:RTPL as numbers " ..
      "or as name=number",
    "+5: gpgpusim: 'stray' is no option, expected -name value",
    "+6: gpgpusim: option '-gpgpu_n_mem' has no value",
  })
end)

test("what would change results is refused until it is accepted", function()
  local text = "-gpgpu_flush_l2_cache 1\n"
  local said = "+1: gpgpusim: -gpgpu_flush_l2_cache: is 1, which is not " ..
               "supported: the contents of an L2 stay"
  H.lines(messages(text), { said .. "; accept = { \"gpgpu_flush_l2_cache\" " ..
                            "} runs without it" })
  for _, accept in ipairs { '{ "gpgpu_flush_l2_cache" }', '"all"' } do
    H.lines(messages(text, "loom.preset.gpgpusim { %q, accept = " .. accept ..
                           " }"), { said })
  end
  H.lines(messages("-gpgpu_max_cycle 5\n"), {
    "+1: gpgpusim: -gpgpu_max_cycle: is 5, which is not supported: " ..
    "stop = { .. } of loom.run says when to stop" })
end)

test("what has no effect here is told, in one line", function()
  local lines = messages [[
-icnt_arbiter_algo 1
-gpgpu_max_concurrent_kernel 8
-gpgpu_runtime_stat 500
]]
  equal(#lines, 1)
  equal(lines[1]:gsub("^%S+ ", ""), "gpgpusim: 2 options have no effect " ..
        "here: -gpgpu_max_concurrent_kernel, -icnt_arbiter_algo")
end)

test("copies to the device fill the L2 where they do in GPGPU-Sim", function()
  local describe = H.import "gpgpusim/map".describe
  local map = H.import "gpgpusim/gpgpusim"
  local function preload(file, extra)
    local text = assert(io.open(data .. "/" .. file)):read "a" .. extra
    local net = assert(io.open(data .. "/" .. file:gsub("config", "icnt")))
    return describe(map.read_options(text, file),
                    map.read_network(net:read "a", "net")).l2.preload
  end
  equal(preload("fermi4.config", "")[1], false)
  equal(preload("fermi4.config", "-gpgpu_perf_sim_memcpy 1\n")[1], true)
  equal(preload("fermi3.config", ""), nil)
end)

test("a quotation without an end, a missing file, a wrong call", function()
  H.lines(messages "-gpgpu_clock_domains \"700:", {
    "+1: gpgpusim: a quotation has no end",
    "+1: gpgpusim: option '-gpgpu_clock_domains' has no value" })
  local lines = H.run(script 'loom.preset.gpgpusim "none.config"')
  equal(lines[1], "t.lua:2: gpgpusim: there is no file 'none.config'; tried " ..
        "none.config")
  lines = H.run(script "loom.preset.gpgpusim {}")
  assert(lines[1]:find "needs the path of a configuration", lines[1])
end)

-- Half of a configuration, cut anywhere: messages, never a crash.
test("cut configurations", function()
  local good = assert(io.open(data .. "/fermi4.config")):read "a"
  local map = H.import "gpgpusim/gpgpusim"
  local session = H.import "script/session"
  for at = 1, #good, 97 do
    session.problems = {}
    map.read_options(good:sub(1, at), "cut.config")
  end
  local describe = H.import "gpgpusim/map".describe
  for at = 1, #good, 197 do
    session.problems = {}
    describe(map.read_options(good:sub(1, at), "cut.config"), {})
  end
end)

H.finish()
