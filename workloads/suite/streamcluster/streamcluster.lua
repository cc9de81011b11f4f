-- streamcluster: where to open centres, Rodinia's streamcluster.
--
-- Coordinates are whole numbers, so that costs are exact. The host opens a
-- centre where the gain is above its price, as the published program does; it
-- does not close others.

local kit = require "warploom.kit"

local price = 100

-- Points as the device has them: weight, cost, assign and what is not used.
local function records(s)
  local out = {}
  for i = 0, s.n - 1 do
    out[i + 1] = ("<ffi8i8i8"):pack(1, s.cost[i], s.assign[i], 0, 0)
  end
  return table.concat(out)
end

local function distance(s, a, b)
  local d = 0
  for k = 0, s.dims - 1 do
    local diff = s.x[k * s.n + a] - s.x[k * s.n + b]
    d = d + diff * diff
  end
  return d
end

-- What the kernel computes, on the CPU: costs at x, and gains in all.
local function reference(s, x)
  local change, lower = {}, {}
  for i = 0, s.n - 1 do
    local d, before = distance(s, i, x), s.cost[i]
    change[i] = d < before and 1 or 0
    lower[i] = d < before and { s.count, d - before } or
               { s.centre[s.assign[i]], before - d }
  end
  return change, lower
end

local function check(dev, s, x, lower, changes)
  local want, gains = reference(s, x)
  local row, stride = lower:download(), s.count + 1
  kit.equal(dev, "changes", changes, want)
  for i = 0, s.n - 1 do
    for c = 0, s.count do
      local g = gains[i][1] == c and gains[i][2] or 0
      dev:check(row[i * stride + c] == g, "a gain differs")
    end
  end
end

-- Opens a centre at x if that is worth its price.
local function open(s, x, lower, changes)
  local row, switched, gain = lower:download(), changes:download(), -price
  local stride = s.count + 1
  for i = 0, s.n - 1 do gain = gain - row[i * stride + s.count] end
  if gain <= 0 then return end
  s.centre[x], s.count = s.count, s.count + 1
  for i = 0, s.n - 1 do
    if switched[i] == 1 then
      s.assign[i], s.cost[i] = x, distance(s, i, x)
    end
  end
end

local function run(dev, p)
  local n, dims = p.points, p.dimensions
  local random = kit.random(p.seed)
  local coord = kit.whole(dev, n * dims, p.seed, 16)
  local s = { n = n, dims = dims, x = kit.list(coord), cost = {},
              assign = {}, centre = { [0] = 0 }, count = 1 }
  for i = 0, n - 1 do s.assign[i], s.cost[i] = 0, distance(s, i, 0) end
  dev:module "streamcluster.ptx"
  local dcoord = dev:upload(coord, "coord")
  local dpoint = dev:alloc(32 * n, "point")
  local dcentre = kit.zeros(dev, "i32", n, "centre")
  local lower = kit.zeros(dev, "f32", n * (p.launches + 1), "lower")
  local changes = kit.zeros(dev, "u8", n, "changes")
  for _ = 1, p.launches do
    local x = random(n)
    lower:fill(0)
    changes:fill(0)
    dpoint:upload(records(s))
    dcentre:upload(kit.array(dev, "i32", n, function(i)
      return s.centre[i] or 0
    end))
    kit.row(dev, "streamcluster_gain", n, p.block,
            { dpoint, dcoord, dcentre, lower, changes, n, dims, x, s.count,
              s.count + 1 })
    if p.verify then check(dev, s, x, lower, changes) end
    open(s, x, lower, changes)
  end

  return function() dev:verified "gains and changes of all launches" end
end

return {
  name = "streamcluster",
  doc = "Gains of opening a cluster centre (Rodinia streamcluster)",
  suite = "Rodinia",
  source = "O'Callaghan et al., 2002",
  classes = { dacache = "divergent", twolevel = "cache-friendly" },
  params = { kit.param("points", 16384, "Points", 1 << 22),
             kit.param("dimensions", 16, "Dimensions", 1024),
             kit.param("launches", 3, "Candidates that are tried", 10000),
             kit.param("block", 512, "Threads per CTA", 1024, 32) },
  sizes = { tiny = { points = 400, dimensions = 5, launches = 2 },
            paper = { points = 262144, dimensions = 32, launches = 2 } },
  paper = "DaCache: \"256K points\" and two launches",
  loads = {
    streamcluster_gain = { point = "mixed divergent",
                           coord = "inter coherent",
                           centre = "inter divergent",
                           lower = "streaming divergent" },
  },
  reference = { at = { launches = 14 }, minst = 41.1, lines = 1.8,
                hits = { 27, 47, 54, 81 } },
  run = run,
}
