-- mri_gridding: samples onto a grid, Parboil's mri-gridding.

local kit = require "warploom.kit"

-- What each sample adds to the cells around it: lists of planes, those of the
-- set `some`, or all if it is nil.
local function reference(s, p, some)
  local n, reach, re, im = p.side, p.reach, {}, {}
  for w = 0, n - 1 do
    if not some or some[w] then
      local x, y = {}, {}
      for i = 0, n * n - 1 do x[i], y[i] = 0, 0 end
      re[w], im[w] = x, y
    end
  end
  for q = 0, p.samples - 1 do
    local x, y, z = s[6 * q], s[6 * q + 1], s[6 * q + 2]
    local real, imaginary = s[6 * q + 3] * s[6 * q + 5],
                            s[6 * q + 4] * s[6 * q + 5]
    local bx, by, bz = x // 1 | 0, y // 1 | 0, z // 1 | 0
    for w = math.max(bz - reach, 0), math.min(bz + reach, n - 1) do
      local to_re, to_im = re[w], im[w]
      for v = to_re and math.max(by - reach, 0) or n,
              math.min(by + reach, n - 1) do
        for u = math.max(bx - reach, 0), math.min(bx + reach, n - 1) do
          local d = ((x - u) ^ 2 + (y - v) ^ 2 + (z - w) ^ 2) / reach ^ 2
          if d < 1 then
            local at = v * n + u
            to_re[at] = to_re[at] + (1 - d) ^ 2 * real
            to_im[at] = to_im[at] + (1 - d) ^ 2 * imaginary
          end
        end
      end
    end
  end
  return re, im
end

local function run(dev, p)
  local n, count = p.side, p.samples
  local cells = n * n * n
  dev:check(n % 8 == 0, "side must be a multiple of 8")
  dev:module "mri_gridding.ptx"
  local sample = kit.real(dev, 6 * count, p.seed)
  for i = 0, count - 1 do
    for k = 0, 2 do sample[6 * i + k] = sample[6 * i + k] * (n - 0.01) end
  end
  local dsample = dev:upload(sample, "sample")
  local bins = kit.zeros(dev, "i32", cells, "count")
  local rank = kit.zeros(dev, "i32", count, "rank")
  kit.row(dev, "gridding_bin", count, p.block,
          { dsample, bins, rank, count, n })
  local start, total = dev:array("i32", cells + 1), 0
  for i, c in ipairs(bins:download():table()) do
    start[i - 1], total = total, total + c
  end
  start[cells] = total
  local dstart = dev:upload(start, "start")
  local sorted = kit.zeros(dev, "f32", 6 * count, "sorted")
  kit.row(dev, "gridding_sort", count, p.block,
          { dsample, dstart, rank, sorted, count, n })
  local real, imaginary = kit.zeros(dev, "f32", cells, "real"),
                          kit.zeros(dev, "f32", cells, "imaginary")
  dev:launch("gridding_gather", { grid = { n // 8, n // 4, n // 2 },
    block = { 8, 4, 2 }, args = { sorted, dstart, real, imaginary, n,
                               p.reach } })

  return function()
    local some, held = kit.some(p.seed, n,
                                count * (2 * p.reach + 1) ^ 3 // n | 0)
    local re, im = reference(kit.list(sample), p, some)
    local got_re, got_im = real:download(), imaginary:download()
    for w, plane in pairs(re) do
      local first, name = w * n * n, ("plane %d of "):format(w)
      kit.close(dev, name .. "real", got_re:slice(first, n * n), plane, 1e-4)
      kit.close(dev, name .. "imaginary", got_im:slice(first, n * n), im[w],
                1e-4)
    end
    dev:verified(("the grid%s, to 1e-4"):format(
      some and (", %d of %d planes"):format(held, n) or ""))
  end
end

return {
  name = "mri_gridding",
  doc = "Gridding of samples for imaging (Parboil mri-gridding)",
  suite = "Parboil",
  source = "Obeid et al., 2011, as in Parboil's mri-gridding",
  classes = { apcm = "CI" },
  params = { kit.param("samples", 2048, "Samples", 1 << 22),
             kit.param("side", 24, "Cells along an edge", 256, 8),
             kit.param("reach", 2, "Cells that a sample reaches", 16),
             kit.block },
  sizes = { tiny = { samples = 200, side = 8 },
            paper = { samples = 2655910, side = 256, reach = 4 } },
  paper = "the default of Parboil; what APCM used is not known",
  loads = {
    gridding_bin = { sample = "intra divergent" },
    gridding_sort = { sample = "intra divergent", start = "streaming divergent",
                      rank = "streaming coherent" },
    gridding_gather = { start = "inter coherent",
                        sorted = "intra coherent" },
  },
  reference = { at = { samples = 8192, side = 32, reach = 4 }, minst = 211,
                lines = 2.7, hits = { 34, 46, 55, 76 },
                why = "gathering, by neighbouring cells, is nearly all of " ..
                      "ours and has this locality whatever the reach (78 / " ..
                      "81 / 82 / 84 % with --set reach=1, 82 / 86 / 87 / 88 " ..
                      "with 2, at 1.4 and 1.3 lines per load). The " ..
                      "published program also sorts by radix, scans and " ..
                      "reorders on the device, with scattered accesses, " ..
                      "where a count gives the places here; whether that is " ..
                      "all is open, as the reference does not tell its " ..
                      "kernels apart" },
  run = run,
}
