-- The drivers of lua/warploom/host/pipeline.lua against times worked out by hand.
--
-- The clock has 1 GHz.  A piece of 1000 bytes takes 100 + 1000 cycles up, 100
-- + 500 down, 2000 or 500 on the host's processor; what the kernels take is
-- measured.  `slack` is what a launch takes from queue to SM and back.
local loom = require "warploom"
local pipeline = require "warploom.pipeline"

local ptx = [[
.version 7.0
.target sm_50
.address_size 64
.entry work(.param .u64 to, .param .u32 rounds)
{
  .reg .pred %p1;
  .reg .b32 %r<3>;
  .reg .b64 %rd1;
  ld.param.u64 %rd1, [to];
  ld.param.u32 %r2, [rounds];
  ld.global.u32 %r1, [%rd1];
again:
  mad.lo.u32 %r1, %r1, 3, 1;
  sub.u32 %r2, %r2, 1;
  setp.ne.u32 %p1, %r2, 0;
  @%p1 bra again;
  st.global.u32 [%rd1], %r1;
  ret;
}
]]

local slack = 12
local pieces = 8

local function holds(what, condition)
  if not condition then error(what .. " does not hold", 0) end
end

local function about(what, got, want, off)
  if got < want - 0.5 or got > want + (off or slack) then
    error(("%s: got %g, expected %g to %g"):format(what, got, want,
                                                   want + (off or slack)), 0)
  end
end

local function cycles(seconds) return seconds * 1e9 end

local function length(handle) return cycles(handle.stop - handle.start) end

-- All of a run: upload[i], compute[i], .. are handles.
local function go(driver, rounds, host, back)
  -- Kernels that find addresses run beside those that compute.
  local kernels = driver == "stages" and 2 or 1
  local gpu = loom.preset.tiny { concurrent_kernels = kernels }
  gpu.host = loom.host { copy_latency = 100, copy_bandwidth = "1GB/s",
                         gather_bandwidth = host.gather or "500MB/s",
                         copy_engines = host.engines or 1,
                         concurrent_kernels = kernels }
  loom.link(gpu.host, gpu)
  local seen = { upload = {}, compute = {}, download = {}, addresses = {},
                 gather = {} }
  local function program(dev)
    local module = dev:module(ptx)
    local watched = {
      stream = function() return dev:stream() end,
      sync = function() dev:sync() end,
      gather = function(_, bytes, options)
        table.insert(seen.gather, dev:gather(bytes, options))
      end,
    }
    local function launch(list, room, s, n)
      list[#list + 1] = dev:launch(module.work, { grid = 1, block = 32,
        stream = s, args = { room, n } })
    end
    pipeline.drivers[driver](watched, {
      pieces = pieces,
      open = function() return dev:alloc("1KiB", "piece"):fill(0) end,
      upload = function(_, room, s)
        table.insert(seen.upload, room:upload(("\0"):rep(1000),
                                              { stream = s }))
      end,
      compute = function(_, room, s)
        launch(seen.compute, room, s, rounds.compute)
      end,
      download = back and function(_, room, s)
        table.insert(seen.download, room:download { stream = s,
                                                    count = 500 })
      end,
      addresses = function(_, room, s)
        launch(seen.addresses, room, s, rounds.addresses or 1)
      end,
      gathered = function() return 1000 end,
    })
  end
  local run = loom.run { machine = gpu, workload = program }
  seen.first = (seen.addresses[1] or seen.upload[1]).queued
  seen.last = (back and seen.download or seen.compute)[pieces].stop
  seen.total = cycles(seen.last - seen.first)
  seen.bytes = run.stats "gpu/host".bytes_gathered
  return seen
end

local function sum(list)
  local all = 0
  for _, handle in ipairs(list) do all = all + length(handle) end
  return all
end

-- One buffer: everything is one after the other.
local one = go("single", { compute = 100 }, {}, true)
for i = 1, pieces do
  about("a piece's upload", length(one.upload[i]), 1100, 0.5)
  about("a piece's download", length(one.download[i]), 600, 0.5)
  holds("upload before compute", one.upload[i].stop <= one.compute[i].start)
  if i > 1 then
    holds("one piece at a time", one.upload[i].start >= one.download[i - 1].stop)
  end
end
about("single", one.total, pieces * 1700 + sum(one.compute),
      2 * slack * pieces)

-- Two: the longer of the two stages decides.
local kernel = length(one.compute[1])
for _, rounds in ipairs { 10, 200 } do
  local two = go("double", { compute = rounds }, {})
  local c = length(two.compute[pieces])
  local longer = math.max(c, 1100)
  holds("both cases are tested", (rounds == 10) == (c < 1100))
  about("double", two.total, pieces * longer + math.min(c, 1100),
        2 * slack * pieces)
  for i = 2, pieces do
    holds("a copy while a kernel runs",
          two.upload[i].start < two.compute[i - 1].stop)
    if c < 1100 then
      about("copies without a gap", cycles(two.upload[i].start -
            two.upload[i - 1].stop), 0, 0.5)
    end
  end
end

-- Both directions: they take turns on one engine, and do not on two.
local turns = go("double", { compute = 10 }, {}, true)
local both = go("double", { compute = 10 }, { engines = 2 }, true)
about("one engine", turns.total, pieces * 1700, 2 * slack + kernel)
-- With two buffers a piece waits for the download of the one before the last:
-- 1100 + c + 600 for two pieces, if that is more than two uploads.
local c = length(both.compute[2])
about("two engines", both.total,
      math.max(pieces * 1100, pieces // 2 * (1700 + c)), 1700 + slack * pieces)
holds("full duplex is faster", both.total < turns.total)

-- Four stages: the processor's 2000 cycles decide.
local four = go("stages", { compute = 100 }, {})
for i = 1, pieces do about("gathering", length(four.gather[i]), 2000, 0.5) end
for i = 2, pieces do
  about("the processor never waits", cycles(four.gather[i].start -
        four.gather[i - 1].stop), 0, 0.5)
end
about("stages", four.total, length(four.addresses[1]) + pieces * 2000 + 1100 +
      length(four.compute[pieces]), 4 * slack)
holds("all bytes are gathered", four.bytes == pieces * 1000)

-- Equal stages: four pieces are under way at the same time.
local equal = go("stages", { compute = kernel > 0 and 100, addresses = 100 },
                 { gather = "1GB/s" })
local function overlap(list)
  local from, to = 0, math.huge
  for _, handle in ipairs(list) do
    from, to = math.max(from, handle.start), math.min(to, handle.stop)
  end
  return to > from
end
-- Is there a time when each of the stages has a piece?
local function together(...)
  local lists = { ... }
  local function try(at, taken)
    if at > #lists then return true end
    for _, handle in ipairs(lists[at]) do
      taken[at] = handle
      if overlap(taken) and try(at + 1, taken) then return true end
      taken[at] = nil
    end
    return false
  end
  return try(1, {})
end
holds("four stages of four pieces at once",
      together(equal.compute, equal.upload, equal.gather, equal.addresses))
local longest = math.max(1100, length(equal.compute[pieces]),
                         length(equal.addresses[pieces]))
holds("the longest stage decides", equal.total < (pieces + 5) * longest)
print("pipelines: all right")
