-- mri_gridding: samples onto a grid, Parboil's mri-gridding.

local kit = require "warploom.kit"

-- Coordinates are multiples of this, so that distances are exact and what is
-- within reach does not depend on rounding.
local step <const> = 1 / 64

local function draw(dev, p)
  local sample = kit.real(dev, 6 * p.samples, p.seed)
  local wide = p.side * p.spread / 100
  local first = (p.side - wide) / 2
  for i = 0, p.samples - 1 do
    for k = 2, 4 do
      local at = (first + wide * sample[6 * i + k]) // step * step
      sample[6 * i + k] = math.min(at, p.side - step) -- one may be drawn
    end
  end
  return sample
end

-- What each sample adds to the cells around it: lists of planes, those of the
-- set `some`, or all if it is nil.  Samples in `without` add nothing.
local function reference(s, p, some, without)
  local n, reach, out = p.side, p.width / 2, {}
  local far = math.ceil(reach)
  for w = 0, n - 1 do
    if not some or some[w] then
      local grid, density = {}, {}
      for i = 0, n * n - 1 do
        grid[2 * i], grid[2 * i + 1], density[i] = 0, 0, 0
      end
      out[w] = { grid = grid, density = density }
    end
  end
  for q = 0, p.samples - 1 do
    local x, y, z = s[6 * q + 2], s[6 * q + 3], s[6 * q + 4]
    local real, imaginary = s[6 * q] * s[6 * q + 5],
                            s[6 * q + 1] * s[6 * q + 5]
    local bx, by, bz = x // 1 | 0, y // 1 | 0, z // 1 | 0
    local last = without[q] and -1 or math.min(bz + far, n - 1)
    for w = math.max(bz - far, 0), last do
      local to = out[w]
      for v = to and math.max(by - far, 0) or n, math.min(by + far, n - 1) do
        for u = math.max(bx - far, 0), math.min(bx + far, n - 1) do
          local d = ((x - u) ^ 2 + (y - v) ^ 2 + (z - w) ^ 2) / reach ^ 2
          if d < 1 then
            local at, grid, weight = v * n + u, to.grid, (1 - d) ^ 2
            grid[2 * at] = grid[2 * at] + weight * real
            grid[2 * at + 1] = grid[2 * at + 1] + weight * imaginary
            to.density[at] = to.density[at] + 1
          end
        end
      end
    end
  end
  return out
end

-- Threads of a level of the tree over the sums of n parts, and how many sums
-- that makes: as few as powers of 128 .. 1024 can be.
local function tree(n)
  local wide, count
  for _, w in ipairs { 128, 256, 512, 1024 } do
    local size = w
    while size < n do size = size * w end
    if not count or size < count then wide, count = w, size end
  end
  return wide, count
end

-- Replaces n elements by the sums of those before them.
local function scan(dev, data, n)
  local parts = kit.ceil(n, 1024)
  local wide, count = tree(parts)
  local sum = kit.zeros(dev, "i32", count, "sum")
  local function launch(kernel, groups, stride)
    dev:launch(kernel, { grid = groups, block = wide // 2,
                         args = { sum, stride } })
  end
  local of_parts = { grid = parts, block = 512, args = { data, sum, n } }
  dev:launch("gridding_scan", of_parts)
  local stride = 1
  while stride < count do
    launch("gridding_up", count // stride // wide, stride)
    stride = stride * wide
  end
  sum:fill(0, { offset = 4 * (count - 1), bytes = 4 })
  while stride > 1 do
    stride = stride // wide
    launch("gridding_down", count // stride // wide, stride)
  end
  dev:launch("gridding_add", of_parts)
  dev:free(sum)
end

-- Sorts pairs by keys up to `largest`; returns where the values are then.
local function sort(dev, key, value, n, largest)
  local to_key, to_value = kit.zeros(dev, "i32", n, "key"),
                           kit.zeros(dev, "i32", n, "value")
  local parts, shift = kit.ceil(n, 1024), 0
  local histogram = kit.zeros(dev, "i32", 16 * parts, "histogram")
  while largest >> shift > 0 do
    dev:launch("gridding_split", { grid = parts, block = 256,
      args = { key, value, histogram, n, shift } })
    scan(dev, histogram, 16 * parts)
    dev:launch("gridding_rearrange", { grid = parts, block = 256,
      args = { key, value, to_key, to_value, histogram, n, shift } })
    key, value, to_key, to_value = to_key, to_value, key, value
    shift = shift + 4
  end
  return value
end

local function run(dev, p)
  local n, count = p.side, p.samples
  local cells = n * n * n
  dev:check(n % 8 == 0, "side must be a multiple of 8")
  dev:module "mri_gridding.ptx"
  local sample = draw(dev, p)
  local dsample = dev:upload(sample, "sample")
  -- Sorted four at a time; what fills up is behind all bins.
  local padded = kit.ceil(count, 4) * 4
  local key = dev:upload(dev:array("i32", padded):fill(-1), "key")
  local value = kit.zeros(dev, "i32", padded, "value")
  local start = kit.zeros(dev, "i32", cells + 1, "start")
  kit.row(dev, "gridding_bin", count, p.block,
          { dsample, key, value, start, count, n, p.bin })
  value = sort(dev, key, value, padded, cells + 1)
  local signal = kit.zeros(dev, "f32", 2 * count, "signal")
  local place = kit.zeros(dev, "f32", 4 * count, "place")
  kit.row(dev, "gridding_reorder", count, p.block,
          { value, dsample, signal, place, count })
  scan(dev, start, cells + 1)
  local grid = kit.zeros(dev, "f32", 2 * cells, "grid")
  local density = kit.zeros(dev, "f32", cells, "density")
  dev:launch("gridding_gather", { grid = { n // 8, n // 4 * (n // 8) },
    block = { 8, 4, 2 }, args = { signal, place, start, grid, density, n,
                                  p.width / 2 } })

  return function()
    local binned, without = start:download()[cells], {}
    local order = value:download()
    for i = binned, count - 1 do without[order[i]] = true end
    local some, held = kit.some(p.seed, n,
                                count * (p.width + 2) ^ 3 // n | 0)
    local want = reference(kit.list(sample), p, some, without)
    local got, counted = grid:download(), density:download()
    for w, plane in pairs(want) do
      local first, name = w * n * n, ("plane %d of the "):format(w)
      kit.close(dev, name .. "grid", got:slice(2 * first, 2 * n * n),
                plane.grid, 1e-4)
      kit.equal(dev, name .. "density", counted:slice(first, n * n),
                plane.density)
    end
    dev:verified(("the grid, to 1e-4, and the samples of each cell%s%s")
      :format(some and (", %d of %d planes"):format(held, n) or "",
              binned < count and (", without %d of full bins"):format(
                count - binned) or ""))
  end
end

return {
  name = "mri_gridding",
  doc = "Gridding of samples for imaging (Parboil mri-gridding)",
  suite = "Parboil",
  source = "Obeid et al., 2011",
  classes = { apcm = "CI" },
  params = { kit.param("samples", 2048, "Samples", 1 << 22),
             kit.param("side", 24, "Cells along an edge", 256, 8),
             kit.param("width", 5, "Cells that a sample reaches", 32),
             kit.param("bin", 32, "Samples of a cell that the device takes"),
             kit.param("spread", 100,
                       "Percent of an edge that samples fill", 100),
             { name = "block", default = 512, min = 32, max = 1024,
               doc = "Threads per CTA of bin and reorder" } },
  sizes = { tiny = { samples = 200, side = 8 },
            paper = { samples = 2655910, side = 256 } },
  paper = "the default of Parboil",
  loads = {
    gridding_bin = { sample = "intra divergent",
                     start = "streaming divergent" },
    gridding_split = { key = "inter divergent", value = "inter divergent" },
    gridding_scan = { histogram = "streaming coherent",
                      start = "streaming coherent" },
    gridding_up = { sum = "intra coherent" },
    gridding_down = { sum = "intra coherent" },
    gridding_add = { sum = "inter coherent", histogram = "streaming coherent",
                     start = "streaming coherent" },
    gridding_rearrange = { histogram = "streaming divergent",
                           key = "streaming divergent",
                           value = "streaming divergent" },
    gridding_reorder = { value = "streaming coherent",
                         sample = "mixed divergent" },
    gridding_gather = { start = "inter coherent", signal = "intra coherent",
                        place = "mixed coherent" },
  },
  reference = { at = { samples = 8192, side = 32 }, minst = 211,
                lines = 2.7, hits = { 34, 46, 55, 76 },
                why = "gathering executes 94 % of our loads, which touch " ..
                      "1.0 lines where bins start and 1.2 where samples " ..
                      "are, and reordering 2 %, which touch 31.8 and so a " ..
                      "third of all lines. How many the former are " ..
                      "depends on the file of samples, which is not " ..
                      "known: on the width of the gridding kernel in " ..
                      "cells (2.0 lines per load with --set width=3, 2.4 " ..
                      "with 1) and the spread of the samples (2.0 where " ..
                      "they fill half of an edge, --set spread=50; with " ..
                      "width=3 in addition 2.3, and all is within 20 %)" },
  run = run,
}
