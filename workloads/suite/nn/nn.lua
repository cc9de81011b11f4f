-- nn: the records nearest to a place, Rodinia's nn.

local kit = require "warploom.kit"

local latitude, longitude = 30, 90

local function run(dev, p)
  local n = p.records
  dev:module "nn.ptx"
  local places = kit.real(dev, 2 * n, p.seed, 0, 180)
  local distance = kit.zeros(dev, "f32", n, "distance")
  kit.row(dev, "nn", n, p.block, { dev:upload(places, "place"), distance, n,
                                   latitude, longitude })
  -- The host picks the nearest, as the published program does.
  local got, best = kit.list(distance), 0
  for i = 1, n - 1 do
    if got[i] < got[best] then best = i end
  end

  return function()
    local t, want, nearest = kit.list(places), {}, 0
    for i = 0, n - 1 do
      want[i] = ((latitude - t[2 * i]) ^ 2 + (longitude - t[2 * i + 1]) ^ 2) ^
                0.5
      if want[i] < want[nearest] then nearest = i end
    end
    kit.close(dev, "distance", distance, want, 1e-6)
    dev:check(math.abs(want[best] - want[nearest]) < 1e-4,
              "another record is nearer")
    dev:verified "all distances, to 1e-6"
  end
end

return {
  name = "nn",
  doc = "Nearest records to a place (Rodinia nn)",
  suite = "Rodinia",
  source = "Rodinia nn",
  classes = { loscache = "named" },
  params = { kit.param("records", 262144, "Records", 1 << 24), kit.block },
  sizes = { tiny = { records = 1000 }, paper = { records = 42764 } },
  paper = "LoSCache: \"default inputs\"",
  notes = "LoSCache's NE is inferred to be this program.",
  loads = { nn = { place = "intra coherent" } },
  run = run,
}
