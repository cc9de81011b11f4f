-- sl1_kmeans: nearest centre of each particle, a chunk per thread.
--
-- Coordinates are whole numbers, so distances are exact; the host moves the
-- centres between iterations.

local kit = require "warploom.kit"

local dimensions = 4

-- Members, and where their centres are next (whole numbers, too).
local function step(x, c, k, count)
  local member, sum, size = {}, {}, {}
  for i = 0, k * dimensions - 1 do sum[i] = 0 end
  for i = 0, k - 1 do size[i] = 0 end
  for i = 0, count - 1 do
    local a, least, best = i * dimensions, math.huge, 0
    local x1, x2, x3, x4 = x[a], x[a + 1], x[a + 2], x[a + 3]
    for q = 0, k - 1 do
      local b = q * dimensions
      local d1, d2, d3, d4 = x1 - c[b], x2 - c[b + 1], x3 - c[b + 2],
                             x4 - c[b + 3]
      local d = d1 * d1 + d2 * d2 + d3 * d3 + d4 * d4
      if d < least then least, best = d, q end
    end
    member[i], size[best] = best, size[best] + 1
    for j = 0, dimensions - 1 do
      sum[best * dimensions + j] = sum[best * dimensions + j] + x[a + j]
    end
  end
  local moved = {}
  for i = 0, k * dimensions - 1 do
    local n = size[i // dimensions]
    moved[i] = n > 0 and sum[i] // n or c[i]
  end
  return member, moved
end

local function run(dev, p)
  local count, k = p.threads * p.chunk, p.k
  dev:check(p.threads % p.block == 0, "threads must be a multiple of block")
  dev:module "sl1_kmeans.ptx"
  local x = kit.whole(dev, count * dimensions, p.seed, 1000)
  local c = kit.whole(dev, k * dimensions, p.seed + 1, 1000)
  local dx = dev:upload(x, "particle")
  local dc = dev:upload(c, "centre")
  local member = kit.zeros(dev, "i32", count, "member")
  local tx, tc, want = kit.list(x), kit.list(c), nil
  for i = 1, p.iterations do
    kit.row(dev, "sl1_kmeans", p.threads, p.block,
            { dx, dc, member, k, p.chunk })
    if p.verify or i < p.iterations then want, tc = step(tx, tc, k, count) end
    dc:upload(kit.array(dev, "f32", k * dimensions, function(q)
      return tc[q]
    end))
  end

  return function()
    kit.equal(dev, "member", member, want)
    dev:verified "the centre of every particle"
  end
end

return {
  name = "sl1_kmeans",
  doc = "Nearest centre of each particle (S-L1)",
  suite = "S-L1",
  source = "S-L1",
  classes = { sl1 = "streaming" },
  params = { kit.threads, kit.param("chunk", 4, "Particles of a thread"),
             kit.param("k", 8, "Centres", 64),
             kit.param("iterations", 2, "Iterations", 1000), kit.block },
  sizes = { tiny = { threads = 64, chunk = 3, k = 5, block = 32 } },
  paper = "none: S-L1 states no sizes",
  loads = {
    sl1_kmeans = { particle = "intra divergent", centre = "inter coherent" },
  },
  run = run,
}
