-- What launching costs: launch_cycles, cta_cycles and warp_cycles of the gpu,
-- barriers that hear one warp at a time, and copies that pass by the L2.
local loom = require "warploom"

local text = [[
.version 6.0
.target sm_30
.address_size 64
.visible .entry empty()
{
 ret;
}
.visible .entry reads(.param .u32 x)
{
 .reg .u32 %r;
 .shared .u32 place;
 ld.param.u32 %r, [x];
 st.shared.u32 [place], %r;
 ret;
}
.visible .entry barriers()
{
 bar.sync 0;
 bar.sync 0;
 bar.sync 0;
 bar.sync 0;
 ret;
}
]]

-- Cycles of a launch on a machine of two SMs that `change` has changed.
local function cycles(kernel, grid, block, change)
  local g = loom.preset.tiny {}
  if change then change(g) end
  local run = loom.run { machine = g, workload = loom.workload {
    name = "launch", run = function(dev)
      dev:module(text)
      dev:launch(kernel, { grid = grid, block = block,
                           args = kernel == "reads" and { x = 1 } or nil })
    end } }
  return math.floor(run.kernels[1].seconds * g.clock + 0.5)
end

local function with(name, value)
  return function(g) g[name] = value end
end

-- Kernels of one CTA: those of a stream come one after the other, those of
-- two at once, their launches too; on a preset with no more said of it.
local function streams(count)
  local first, second
  local g = loom.preset.h100 { sm_count = 2 }
  loom.run { machine = g, workload = loom.workload {
    name = "streams", run = function(dev)
      dev:module((text:gsub("bar.sync 0;", ("bar.sync 0;\n"):rep(200))))
      local s = dev:stream()
      local t = count == 2 and dev:stream() or s
      first = dev:launch("barriers", { grid = 1, block = 1024, stream = s })
      second = dev:launch("barriers", { grid = 1, block = 1024, stream = t })
      dev:sync()
    end } }
  return first, second, g.launch_cycles / g.clock
end

local first, second, launch = streams(1)
assert(first.seconds > 4 * launch, "the kernel is too short")
assert(second.start >= first.stop, "a stream's kernels overlap")
first, second = streams(2)
assert(second.start < first.stop - first.seconds / 2 and
       second.stop - first.start < first.seconds + launch,
       "kernels of two streams do not overlap")

-- The first CTA is sent so much later; that is the launch's time.
local plain = cycles("empty", 1, 32)
local late = cycles("empty", 1, 32, with("launch_cycles", 1000))
assert(late - plain >= 1000 and late - plain <= 1010,
       ("launch_cycles: %d, %d"):format(plain, late))

-- And so much later one that reads its parameters, as compiled, too.
for _, kernel in ipairs { "empty", "reads" } do
  for _, more in ipairs { {}, { scheduled = true } } do
    local function change(g)
      if more.scheduled then g.scheduled = true end
    end
    plain = cycles(kernel, 1, 32, change)
    late = cycles(kernel, 1, 32, function(g)
      change(g)
      g.argument_cycles = 300
    end)
    assert(late - plain == (kernel == "reads" and 300 or 0),
           ("argument_cycles, %s: %d, %d"):format(kernel, plain, late))
  end
end

-- One CTA in so many cycles, fractions included.
for _, step in ipairs { 4.0, 40.25, 100.0 } do
  local few = cycles("empty", 100, 32, with("cta_cycles", step))
  local many = cycles("empty", 300, 32, with("cta_cycles", step))
  assert(math.abs((many - few) / 200 - step) < 0.02 * step + 0.1,
         ("cta_cycles %g: %d, %d"):format(step, few, many))
end

-- Warps start one after another; what the last executes has been fetched by
-- then, which takes three cycles.
plain = cycles("empty", 1, 128)
late = cycles("empty", 1, 128, with("warp_cycles", 50))
assert(late - plain == 3 * 50 - 3, ("warp_cycles: %d, %d"):format(plain, late))

-- Arrivals at a barrier, one at a time: 8 warps at each of four barriers.
local function barrier(g)
  for i = 0, #g.sm - 1 do
    g.sm[i].barrier_cycles, g.sm[i].barrier_interval = 48, 20
  end
end
local function slow(g)
  for i = 0, #g.sm - 1 do g.sm[i].barrier_cycles = 48 end
end
plain = cycles("barriers", 1, 256, slow)
late = cycles("barriers", 1, 256, barrier)
assert(late - plain > 4 * 7 * 19 and late - plain <= 4 * 8 * 20,
       ("barrier_interval: %d, %d"):format(plain, late))

-- Copies of so many bytes stay in the L2, larger ones do not.
local function preloaded(bytes, most)
  local g = loom.preset.tiny {}
  g.l2.preload, g.l2.preload_most = true, most
  local run = loom.run { machine = g, workload = loom.workload {
    name = "copy", run = function(dev)
      dev:module(text)
      dev:upload(dev:array("u8", bytes))
      dev:launch("empty", { grid = 1, block = 32 })
    end } }
  return run.stats("gpu.l2").preloaded_lines
end
local stayed = preloaded(4096, 4096)
assert(stayed == 32, ("a copy that stays: %d lines"):format(stayed))
assert(preloaded(4224, 4096) == 0, "a copy that passes by")
print "launches, barriers and copies take what they are said to"
