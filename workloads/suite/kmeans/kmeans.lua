-- kmeans: clustering, Rodinia's kmeans.
--
-- Features are whole numbers, so that distances are exact; the host moves the
-- clusters between iterations.

local kit = require "warploom.kit"

local function nearest(x, c, points, features, clusters)
  local member = {}
  for p = 0, points - 1 do
    local least, best = math.huge, -1
    for q = 0, clusters - 1 do
      local d, a, b = 0, p * features, q * features
      for j = 0, features - 1 do
        local diff = x[a + j] - c[b + j]
        d = d + diff * diff
      end
      if d < least then least, best = d, q end
    end
    member[p] = best
  end
  return member
end

local function move(x, c, member, points, features, clusters)
  local sum, size = {}, {}
  for i = 0, clusters * features - 1 do sum[i] = 0 end
  for q = 0, clusters - 1 do size[q] = 0 end
  for p = 0, points - 1 do
    local q = member[p]
    size[q] = size[q] + 1
    for j = 0, features - 1 do
      sum[q * features + j] = sum[q * features + j] + x[p * features + j]
    end
  end
  for i = 0, clusters * features - 1 do
    local n = size[i // features]
    if n > 0 then c[i] = sum[i] // n end
  end
end

local function run(dev, p)
  local n, f, k = p.points, p.features, p.clusters
  dev:module "kmeans.ptx"
  local x, c = kit.whole(dev, n * f, p.seed, 100),
               kit.whole(dev, k * f, p.seed + 1, 100)
  local dx, dc = dev:upload(x, "feature"), dev:upload(c, "cluster")
  local inverted = kit.zeros(dev, "f32", n * f, "inverted")
  local member = kit.zeros(dev, "i32", n, "member")
  local tx, tc, before = kit.list(x), kit.list(c), nil
  kit.row(dev, "kmeans_invert", n, p.block, { dx, inverted, n, f })
  for i = 1, p.iterations do
    if i > 1 then
      move(tx, tc, kit.list(member), n, f, k)
      dc:upload(kit.array(dev, "f32", k * f, function(q) return tc[q] end))
    end
    before = tc
    kit.row(dev, "kmeans_point", n, p.block, { dx, dc, member, n, f, k })
  end

  return function()
    kit.equal(dev, "member", member, nearest(tx, before, n, f, k))
    local t = inverted:download()
    for q = 0, n - 1 do
      dev:check(t[q + n * (f - 1)] == tx[q * f + f - 1], "inverted differs")
    end
    dev:verified "the cluster of every point"
  end
end

return {
  name = "kmeans",
  doc = "k-means clustering (Rodinia kmeans, without textures)",
  suite = "Rodinia",
  source = "Rodinia kmeans",
  classes = { apcm = "CS", dacache = "divergent" },
  params = { kit.param("points", 7680, "Points", 1 << 22),
             kit.param("features", 34, "Features of a point", 1024),
             kit.param("clusters", 5, "Clusters", 1024),
             kit.param("iterations", 1, "Iterations", 1000), kit.block },
  sizes = { tiny = { points = 200, features = 9, clusters = 3 },
            paper = { points = 28672, features = 136 } },
  paper = "DaCache: \"28K 4x features\"",
  notes = "APCM uses the first kernel only. DaCache's input is read as " ..
          "four times 34 features.",
  loads = {
    kmeans_invert = { feature = "intra divergent" },
    kmeans_point = { feature = "intra divergent",
                     cluster = "inter coherent" },
  },
  reference = { at = { points = 8192, iterations = 2 }, minst = 25.5,
                lines = 16.5, hits = { 3, 3, 8, 100 },
                why = "the lines of 136-byte rows just do not fit in 48 " ..
                      "KB, so that few hit, where a set happens to be " ..
                      "less wanted: 5 % with a polynomial set index, 6 " ..
                      "folded, 19 random, 3 modulo; the reference's is " ..
                      "not known" },
  run = run,
}
