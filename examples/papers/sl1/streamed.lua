-- Figure 10's applications, with data in the host's memory that goes through
-- the device in pieces: one buffer, two, or BigKernel's four stages
-- (lua/warploom/host/pipeline.lua) over the kernels of the suite.
--
-- The paper does not say which four it has.  These read their data once, from
-- its beginning to its end, so that a piece is enough: text in (wc), text in
-- and out (upper), a table that stays on the device (opinion), and two passes
-- (affinity).
local loom = require "warploom"
local kit = require "warploom.kit"
local pipeline = require "warploom.pipeline"
local common = require "common"

local M = {}

M.pieces = loom.option { name = "pieces", default = common.tiny and 4 or 6,
                         doc = "Pieces of the data, where it is streamed" }
local piece_kbytes = loom.option { name = "piece_kbytes",
  default = common.tiny and 125 or 500, -- no power of two, as in common.lua
  doc = "KiB of a piece for each SM" }

local pinned = loom.option { name = "pinned", default = false,
  doc = "One buffer and two have their data in pinned memory, too" }

M.benches = { "sl1_wc", "sl1_upper", "sl1_opinion", "sl1_affinity" }

-- The data is in ordinary memory, more than one could pin: with one buffer or
-- two, each piece is staged before it is copied; gathering is that for
-- BigKernel.  With pinned=true all data is pinned and only BigKernel gathers,
-- which is then slower than two buffers: the order of the two is this choice.
--
-- PCIe 3.0 x16 carries about 12 GB/s; two channels of 1.8 GHz carry 28.8, and
-- what is gathered is read, allocated and written: a third.  An SM has its
-- share.  Copies and launches take 10 and 5 us before anything moves.  `faster`
-- is how many times as much the link and the gathering carry.
function M.machine(faster)
  local gpu = common.machine(true, { concurrent_kernels = 2 })
  local function share(rate)
    return ("%dMB/s"):format((faster or 1) * rate * common.sms // 15)
  end
  gpu.host = loom.host { copy_bandwidth = share(12000),
                         gather_bandwidth = share(9600),
                         copy_latency = 9800, launch_latency = 4900,
                         concurrent_kernels = 2 }
  loom.link(gpu.host, gpu)
  return gpu
end

-- What BigKernel's compiler makes of these kernels: a thread's accesses are a
-- run of bytes, so it sends the first and how many.
local addresses = [[
.version 3.2
.target sm_20
.address_size 64
.entry addresses(.param .u64 to, .param .u32 chunk)
{
  .reg .b32 %r<6>;
  .reg .b64 %rd<3>;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.s32 %r4, %r1, %r2, %r3;
  ld.param.u64 %rd1, [to];
  ld.param.u32 %r5, [chunk];
  mul.wide.u32 %rd2, %r4, 8;
  add.s64 %rd1, %rd1, %rd2;
  mul.lo.u32 %r4, %r4, %r5;
  st.global.v2.u32 [%rd1], {%r4, %r5};
  ret;
}
]]

-- What an application has: data(i) of a piece, `outs` that a piece's memory
-- has besides, the launch, what is downloaded, and the check.
local apps = {}

local function count_of(text, pattern)
  local n = 0
  for _ in text:gmatch(pattern) do n = n + 1 end
  return n
end

function apps.sl1_wc(p)
  local words, lines, text = 0, 0, {}
  for i = 0, 1 do text[i] = kit.text(i + 1, p.bytes) end
  return {
    data = function(i) return text[i % 2] end,
    outs = { { "words", "i32", p.threads }, { "lines", "i32", p.threads } },
    kernel = function() return "sl1_wc" end,
    args = function(_, room)
      return { room.data, room.words, room.lines, p.chunk }
    end,
    took = function(got)
      words, lines = words + got.words:sum(), lines + got.lines:sum()
    end,
    check = function()
      local want_words, want_lines = 0, 0
      for i = 0, p.pieces - 1 do
        want_words = want_words + count_of(text[i % 2], "%S+")
        want_lines = want_lines + count_of(text[i % 2], "\n")
      end
      return words == want_words and lines == want_lines
    end,
  }
end

function apps.sl1_upper(p)
  local text, right = {}, 0
  for i = 0, 1 do text[i] = kit.text(i + 1, p.bytes) end
  return {
    data = function(i) return text[i % 2] end,
    outs = { { "out", "u8", p.bytes } },
    kernel = function() return "sl1_upper" end,
    args = function(_, room) return { room.data, room.out, p.chunk } end,
    took = function(got, i)
      right = right + (got.out:string() == text[i % 2]:upper() and 1 or 0)
    end,
    check = function() return right == p.pieces end,
  }
end

function apps.sl1_opinion(p)
  local slots, text, total, opinion = 1024, {}, 0, {}
  local words = kit.words(kit.random(1), 400)
  local dictionary = kit.random(2)
  local key, value, keys, values
  for i = 0, 1 do text[i] = kit.text(i + 1, p.bytes, words) end
  local function score(of)
    local sum = 0
    for line in of:gmatch "([^\n]*)\n" do
      local mine, about = 0, false
      for word in line:gmatch "%S+" do
        about = about or word == words[1]
        mine = mine + (opinion[word] or 0)
      end
      sum = sum + (about and mine or 0)
    end
    return sum
  end
  return {
    data = function(i) return text[i % 2] end,
    outs = { { "score", "i32", p.threads } },
    start = function(dev)
      key, value = dev:array("u32", slots), dev:array("i32", slots)
      for i = 1, 200 do -- every other word has an opinion
        local word = words[2 * i]
        local at = kit.hash(word) % slots
        while key[at] ~= 0 do at = (at + 1) % slots end
        opinion[word] = dictionary(11) - 5
        key[at], value[at] = kit.hash(word), opinion[word]
      end
      keys, values = dev:upload(key, "key"), dev:upload(value, "opinion")
    end,
    kernel = function() return "sl1_opinion" end,
    args = function(_, room)
      return { room.data, keys, values, room.score, kit.hash(words[1]), slots,
               p.chunk, p.bytes }
    end,
    took = function(got) total = total + got.score:sum() end,
    check = function()
      local want = 0
      local scores = { [0] = score(text[0]), score(text[1]) }
      for i = 0, p.pieces - 1 do want = want + scores[i % 2] end
      return total == want
    end,
  }
end

-- All pieces twice: who are the customers, and where were they.
function apps.sl1_affinity(p)
  local cards, merchants, half = 65536, 2000, p.pieces // 2
  local records, text, list = p.bytes // 16, {}, {}
  local random = kit.random(1)
  local marked, visits
  for i = 0, half - 1 do
    local lines = {}
    list[i] = { card = {}, merchant = {} }
    for r = 1, records do
      local card, merchant = random(cards), random(1 + random(merchants))
      list[i].card[r], list[i].merchant[r] = card, merchant
      lines[r] = ("%08d %06d\n"):format(card, merchant)
    end
    text[i] = table.concat(lines)
  end
  return {
    data = function(i) return text[i % half] end,
    outs = {},
    start = function(dev)
      marked = kit.zeros(dev, "u8", cards, "marked")
      visits = kit.zeros(dev, "i32", merchants, "visits")
    end,
    kernel = function(i)
      return i < half and "sl1_affinity_mark" or "sl1_affinity_count"
    end,
    args = function(i, room)
      local chunk = p.chunk // 16
      if i < half then return { room.data, marked, 0, chunk } end
      return { room.data, marked, visits, chunk }
    end,
    check = function()
      local is_marked, want = {}, {}
      for m = 0, merchants - 1 do want[m] = 0 end
      for i = 0, half - 1 do
        for r = 1, records do
          if list[i].merchant[r] == 0 then
            is_marked[list[i].card[r]] = true
          end
        end
      end
      for i = 0, half - 1 do
        for r = 1, records do
          local m = list[i].merchant[r]
          if is_marked[list[i].card[r]] then want[m] = want[m] + 1 end
        end
      end
      local got = kit.list(visits)
      for m = 0, merchants - 1 do
        if got[m] ~= want[m] then return false end
      end
      return true
    end,
  }
end

-- The functions that the drivers of lua/warploom/host/pipeline.lua ask for.
local function work_of(dev, p, app, taken)
  local finder = dev:module(addresses).addresses
  local shape = { grid = p.threads // p.block, block = p.block }
  local out_bytes = 0
  for _, out in ipairs(app.outs) do
    out_bytes = out_bytes + out[3] * (out[2] == "u8" and 1 or 4)
  end
  local function launch(kernel, args, s)
    dev:launch(kernel, { grid = shape.grid, block = shape.block, args = args,
                         stream = s })
  end
  return {
    pieces = p.pieces,
    open = function(k)
      local room = { data = dev:alloc(p.bytes, "data " .. k) }
      room.found = kit.zeros(dev, "u32", 2 * p.threads, "found " .. k)
      for _, out in ipairs(app.outs) do
        room[out[1]] = kit.zeros(dev, out[2], out[3], out[1] .. " " .. k)
      end
      return room
    end,
    addresses = function(_, room, s)
      launch(finder, { room.found, p.chunk }, s)
      room.found:download { stream = s }
    end,
    gathered = function() return p.bytes end,
    scattered = out_bytes > 0 and function() return out_bytes end or nil,
    upload = function(i, room, s)
      room.data:upload(app.data(i), { stream = s, pinned = p.pinned })
    end,
    compute = function(i, room, s)
      launch(app.kernel(i), app.args(i, room), s)
    end,
    download = app.outs[1] and function(i, room, s)
      local got = { piece = i }
      for _, out in ipairs(app.outs) do
        got[out[1]] = room[out[1]]:download { stream = s, pinned = p.pinned }
      end
      taken[#taken + 1] = got
    end,
  }
end

-- Numbers of threads: not so many that a thread has too little of a piece.
M.threads = {}
for _, n in ipairs(common.threads) do
  if n <= 1024 then M.threads[#M.threads + 1] = n end
end

-- A workload: an application with `threads` of an SM, by one of the drivers.
function M.workload(bench, driver, threads)
  local all = threads * common.sms
  local p = { threads = all, block = math.min(threads, 256),
              bytes = piece_kbytes * common.sms * 1024, pieces = M.pieces,
              pinned = pinned or driver == "stages" }
  p.chunk = p.bytes // all
  if bench == "sl1_affinity" then -- whole records, and two passes
    p.chunk, p.pieces = p.chunk // 16 * 16, math.max(p.pieces // 2 * 2, 2)
  end
  p.bytes = p.chunk * all
  return function(dev)
    local app, taken = apps[bench](p), {}
    dev:module(("suite/%s/%s.ptx"):format(bench, bench))
    if app.start then app.start(dev) end
    pipeline.drivers[driver](dev, work_of(dev, p, app, taken))
    for _, got in ipairs(taken) do
      local arrays = {}
      for _, out in ipairs(app.outs) do
        arrays[out[1]] = got[out[1]].array
      end
      app.took(arrays, got.piece)
    end
    dev:check(app.check(), "the result differs")
    dev:verified "against the CPU"
  end
end

M.schemes = {
  { name = "single", value = { driver = "single" } },
  { name = "double", value = { driver = "double" } },
  { name = "bigkernel", value = { driver = "stages" } },
  { name = "bigkernel_sl1", value = { driver = "stages",
      transform = loom.sl1 { restricted = common.restricted } } },
}

-- Bytes of data that the device has had, per second, for 15 SMs.
function M.rate(run)
  return run.stats "gpu/host".bytes_to_device / run.seconds / 1e9 * 15 /
         common.sms
end

return M
