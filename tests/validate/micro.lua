-- Micro-kernels against what the machine's parameters say.
--
--   warploom run -q tests/validate/micro.lua --set csv=micro.csv
--
-- Latencies must be the sum of their parts and throughputs the closed form of
-- the resource that binds, within 2 %, on every machine of shapes.lua.
local loom = require "warploom"
local parts = require "parts"
local shapes = require "shapes"

local csv = loom.option { name = "csv", default = "",
                          doc = "File for the rows, or none" }
local only = loom.option { name = "only", default = "",
                           doc = "Run only kernels with this in their name" }
local tolerance = 0.02

local rows, wrong = {}, 0

-- Runs a workload on a machine and returns the cycles by which the last
-- launch is longer than the one before, and the machine as formulas see it.
local function measure(shape, workload, sms)
  local gpu = shape.make { sms = sms }
  local run = loom.run { machine = gpu, workload = workload }
  local k = run.kernels
  return (k[#k].seconds - k[#k - 1].seconds) * gpu.clock,
         parts.of(gpu, run.description)
end

local function row(shape, kernel, what, measured, expected, reason)
  local off = measured / expected - 1
  local bad = math.abs(off) > tolerance
  if bad then wrong = wrong + 1 end
  rows[#rows + 1] = { shape.name, kernel, what, measured, expected, reason }
  print(("%-22s %-13s %-26s %10.3f %10.3f %6.2f %%  %s%s"):format(
    shape.name, kernel, what, measured, expected, 100 * off, reason,
    bad and "  WRONG" or ""))
end

local function wanted(kernel) return kernel:find(only, 1, true) end

------------------------------------------------------------------------------

-- Footprints on both sides of each capacity.  Where half or more of a cache is
-- too much, every set has more lines than ways, and none is ever hit.
local function chase(shape)
  local gpu = shape.make {}
  local l1 = gpu.sm[0].l1d.size_bytes
  local l2 = gpu.l2[0].size_bytes * #gpu.l2
  local list = {
    { l1 // 8, "l1" }, { l1 // 2, "l1" }, { l1, "l1" },
    { 2 * l1, "l2" }, { l2 // 2, "l2" }, { 3 * l2, "dram" },
  }
  for _, one in ipairs(list) do
    local bytes, where = one[1], one[2]
    local cycles, m = measure(shape, loom.suite.micro_chase { bytes = bytes })
    local each, want = cycles / 256
    if where == "l1" then
      want = m:l1_hit()
    elseif where == "l2" then
      want = m:l2_hit()
    else
      -- The first line of each row finds another row open.
      local found = {}
      for i = 1, 256 do
        found[i] = i % (64 * 64 // 128) == 1 and "other" or "open"
      end
      want = m:misses(found)
    end
    row(shape, "micro_chase", ("%d KiB"):format(bytes // 1024), each, want,
        ({ l1 = "L1 hit", l2 = "L2 hit", dram = "DRAM" })[where])
  end
end

local ops = { "int_add", "int_max", "int_mul", "int_mad", "int_div", "fp_add",
              "fp_max", "fp_mul", "fp_mad", "fp_div", "dp_add", "dp_max",
              "dp_mul", "dp_mad", "dp_div", "sfu", "shuffle" }

local function alu(shape)
  for _, op in ipairs(ops) do
    -- Two classes of different intervals in turn, and one warp that fetches in
    -- a cycle: warps bunch, and the units are not always in use (1.05).
    local bunch = op == "shuffle" and shape.make {}.sm[0].fetch_width > 0
    for _, warps in ipairs(bunch and { 1 } or { 1, 48 }) do
      local cycles, m = measure(shape, loom.suite.micro_alu {
        op = op, warps = warps == 1 and 1 or 24, ctas = warps == 1 and 1 or 2 })
      local want, reason = m:op_interval(op, warps)
      row(shape, "micro_alu", ("%s, %d warps"):format(op, warps),
          cycles / 64 / warps, want, reason)
    end
  end
end

local function shared(shape)
  for _, stride in ipairs { 0, 1, 2, 3, 4, 8, 16, 32, 33 } do
    local cycles, m = measure(shape, loom.suite.micro_shared {
      stride = stride })
    local degree = m:conflicts(stride)
    row(shape, "micro_shared", ("stride %d, latency"):format(stride),
        cycles / 128, m:near() + m.ldst.shared_latency + degree - 1,
        ("%d-way"):format(degree))
    cycles = measure(shape, loom.suite.micro_shared {
      stride = stride, warps = 32 })
    local want, reason = parts.binding {
      { degree, ("%d-way"):format(degree) },
      { (m:near() + m.ldst.shared_latency + degree - 1) / 32, "latency" } }
    row(shape, "micro_shared", ("stride %d, 32 warps"):format(stride),
        cycles / 128 / 32, want, reason)
  end
end

local function const(shape)
  for _, stride in ipairs { 0, 1, 2, 8, 32 } do
    local cycles, m = measure(shape, loom.suite.micro_const {
      stride = stride })
    local lines = parts.pieces(8 * stride, m.ldst.const_line_bytes)
    local latency = m:const_load(lines)
    row(shape, "micro_const", ("stride %d, latency"):format(stride),
        cycles / 128, latency, ("%d lines"):format(lines))
    cycles = measure(shape, loom.suite.micro_const {
      stride = stride, warps = 32 })
    local want, reason = parts.binding {
      { lines, ("%d lines"):format(lines) }, { latency / 32, "latency" } }
    row(shape, "micro_const", ("stride %d, 32 warps"):format(stride),
        cycles / 128 / 32, want, reason)
  end
end

local function stride(shape)
  -- Two collectors do not hand on an instruction in every cycle (1.12).
  local sm = shape.make {}.sm[0]
  local few = sm.register_banks > 0 and sm.ldst_collectors < 4
  for _, words in ipairs { few and 48 or 0, few and 64 or 1, 2, 3, 4, 6, 8, 12,
                           16, 24, 31, 32 } do
    local cycles, m = measure(shape, loom.suite.micro_stride {
      stride = words, warps = 24 })
    local want, reason = m:l1_interval(words, 24)
    row(shape, "micro_stride", ("stride %d"):format(words),
        cycles / 64 / 24, want, reason)
  end
end

-- What has no closed form is left out.  With several slices, packets of other
-- SMs that wait for another output hold up those behind them: one SM only.
-- With accesses in fours the load/store unit is free when it is the turn of
-- the same scheduler again and again; the one that comes last runs alone in
-- the end, and cannot fill the unit (1.07 times as long).
local streams = {
  { sms = 1, what = "L2 read", no_fours = true },
  { sms = 1, what = "L2 read", stride = 2 },
  { sms = 1, what = "L2 write", write = true },
  { sms = 4, what = "L2 read" },
  { sms = 4, what = "DRAM read", misses = true },
}

local function one_stream(shape, one, slices, channels, l2)
  local ctas, warps, words = 2 * one.sms, 24, one.stride or 1
  local step = 4 * 4 * ctas * warps * 32 * words
  local bytes = math.max((one.misses and 4 * l2 or l2 // 2) // step, 1) * step
  local passes = math.max((1 << 18) // bytes, 1)
  local cycles, m = measure(shape, loom.suite.micro_stream {
    bytes = bytes, passes = passes, ctas = ctas, warps = warps,
    stride = words, write = one.write or false }, one.sms)
  local size = one.write and m:store_access() or m:line_access()
  local want, reason = m:stream_interval {
    sms = one.sms, slices = slices, channels = channels, share = size / 128,
    up = one.write and size or 0, down = one.write and 0 or size,
    misses = one.misses }
  row(shape, "micro_stream", ("%s, %d SM, stride %d"):format(one.what,
      one.sms, words), cycles / (passes * bytes // size), want, reason)
end

local function stream(shape)
  local probe = shape.make {}
  local slices = #probe.l2
  local coalesce = probe.sm[0].ldst.coalesce
  local fours = coalesce.name == "sector_coalesce" or
                coalesce.around_bytes == 32
  for _, one in ipairs(streams) do
    if not (slices > 1 and one.sms > 1 or one.no_fours and fours) then
      one_stream(shape, one, slices, #probe.dram,
                 probe.l2[0].size_bytes * slices)
    end
  end
end

local function atomic(shape)
  for _, one in ipairs {
    { stride = 0, spread = 0, what = "one word" },
    { stride = 1, spread = 0, what = "one line" },
    { stride = 1, spread = 32, what = "a line a warp" },
  } do
    local cycles, m = measure(shape, loom.suite.micro_atomic {
      stride = one.stride, spread = one.spread, warps = 8, ctas = 1,
      times = 16 })
    local bytes = one.stride == 0 and 32 or m:line_access()
    local per_warp = one.stride == 0 and 32 or 128 // bytes
    local want, reason = m:stream_interval {
      sms = 1, slices = 1, channels = 1, up = bytes, down = bytes }
    row(shape, "micro_atomic", one.what, cycles / (16 * 4 * 8 * per_warp),
        want, reason)
  end
end

for _, shape in ipairs(shapes.list) do
  if wanted "micro_chase" then chase(shape) end
  if wanted "micro_alu" then alu(shape) end
  if wanted "micro_shared" then shared(shape) end
  if wanted "micro_const" then const(shape) end
  if wanted "micro_stride" then stride(shape) end
  if wanted "micro_stream" then stream(shape) end
  if wanted "micro_atomic" then atomic(shape) end
end

if csv ~= "" then
  local file = assert(io.open(csv, "w"))
  file:write("machine;kernel;case;measured;expected;binding\n")
  for _, r in ipairs(rows) do
    file:write(("%s;%s;%s;%.6f;%.6f;%s\n"):format(table.unpack(r)))
  end
  file:close()
end
print(("%d measurements, %d off by more than %.0f %%"):format(#rows, wrong,
                                                      100 * tolerance))
if wrong > 0 then error("a measurement is not the sum of its parts", 0) end
