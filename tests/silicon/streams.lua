-- Streams through memory on presets beside what cards reach, as shares of the
-- peak: each thread reads, writes, copies or adds (a + k b) 16 bytes, four of
-- them before the first use, arrays of four times the
-- L2; 512 threads on an SM, which have 32 KiB on their way.
--
--   WARPLOOM_PATH=tests/silicon warploom --unsafe run -q
--     tests/silicon/streams.lua --set preset=h100_sxm --set share=1
--
-- An eighth of a machine by default, SMs and channels alike: what is compared
-- is a channel's.  Cards: "measured" are cards/*_micro.csv, streams of 1 GiB;
-- others are github.com/te42kyfo/gpu-benches, folder gpu-stream, columns init,
-- read, scale and triad of the last line, in GB/s.  Of GA102 and AD102 they
-- are an A40 and an L40, whose memory is GDDR6.
local loom = require "warploom"
local micro = require "micro"

local wanted = loom.option { name = "preset", default = "",
                             doc = "The preset; all if empty" }
local only = loom.option { name = "only", default = "",
                           doc = "A pattern of read, write, copy, triad" }
local share = loom.option { name = "share", default = 8, min = 1,
                            doc = "So many of them would be the machine" }
local limit = loom.option { name = "limit", default = 0.0, min = 0,
                            doc = "Fail if a share of the peak differs by " ..
                                  "more; 0: never" }
local change = loom.option { name = "change", default = "",
                             doc = "Lua that changes the machine g, with loom" }

local kinds = { "read", "write", "copy", "triad" }

-- Preset, card, the card's peak in GB/s, and what it reaches of each kind.
local cards = {
  { "v100", "V100", 898, { 866, 895, 802, 814 } },
  { "a100", "A100 40 GB", 1555, { 1490, 1503, 1381, 1360 } },
  { "h100_pcie", "H100 PCIe", 2039, { 1942, 2016, 1704, 1832 } },
  { "h100_sxm", "H100 SXM", 3352, "h100_sxm" },
  { "h200", "H200", 4815, "h200" },
  { "rtx3090", "A40", 696, { 679, 679, 652, 653 } },
  { "rtx4090", "L40", 864, { 844, 846, 770, 768 } },
}

-- Medians of two launches of a measured stream, of one round and of three.
local function measured(card, kind)
  local folder = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."
  local bytes = 1089994752
  local case = ("stream_%s_%d_ctas_264_threads_1024"):format(kind, bytes)
  local ns = {}
  for line in io.lines(("%s/cards/%s_micro.csv"):format(folder, card)) do
    local name, launch, median = line:match(
      "^([^,]*),(%d+),[^,]*,[^,]*,[^,]*,[^,]*,([^,]*),")
    if name == case then ns[launch] = tonumber(median) end
  end
  return 2 * micro.traffic(kind) * bytes / (ns["1"] - ns["0"])
end

local function part(n) return math.max((n + share // 2) // share, 1) end

local function machine(preset)
  local whole = loom.preset[preset] {}
  local g = loom.preset[preset] { sm_count = part(#whole.sm),
                                  channel_count = part(#whole.dram) }
  if change ~= "" then
    assert(load("local g, loom = ... " .. change, "=change"))(g, loom)
  end
  return g
end

local function here(preset, kind)
  local g = machine(preset)
  local dram, ctas = g.dram[0], 2 * #g.sm
  local whole, bytes = ctas * 256 * 64, 4 * #g.l2 * g.l2[0].size_bytes
  bytes = (bytes + whole - 1) // whole * whole
  local run = loom.run { machine = g, memory = "8GiB",
                         workload = loom.workload { name = kind,
                                                    run = function(dev)
    dev:module((micro.stream(kind):gsub("ld%.global%.v4", "ld.global.cg.v4")))
    local a, b = dev:alloc(bytes, "a"), dev:alloc(bytes, "b")
    local c = dev:alloc(bytes, "c")
    for _, rounds in ipairs { 1, 1, 2 } do -- the first fills the L2
      dev:launch("stream", { grid = ctas, block = 256,
                             args = { a, b, c, bytes, rounds } })
    end
  end } }
  local ns = (run.kernels[3].seconds - run.kernels[2].seconds) * 1e9
  local peak = #g.dram * dram.pseudo_channels * dram.bus_bytes *
               dram.data_rate * dram.clock / 1e9
  return micro.traffic(kind) * bytes / ns / peak
end

print(("%-10s %-11s %-6s %8s %8s %8s"):format("preset", "card", "stream",
                                              "card", "here", "points"))
local far, count = 0, 0
for _, row in ipairs(cards) do
  local preset, card, peak, rates = table.unpack(row)
  for i, kind in ipairs(kinds) do
    if (wanted == "" or wanted == preset) and kind:find(only) then
      local rate = type(rates) == "table" and rates[i] or measured(rates, kind)
      local a, b = rate / peak, here(preset, kind)
      count = count + 1
      if limit > 0 and math.abs(b - a) > limit then far = far + 1 end
      print(("%-10s %-11s %-6s %7.1f%% %7.1f%% %+8.1f"):format(
        preset, card, kind, 100 * a, 100 * b, 100 * (b - a)))
      io.stdout:flush()
    end
  end
end
assert(count > 0, "no such stream")
if far > 0 then
  error(("%d of %d are off by more than %g"):format(far, count, limit))
end
