-- apsp: shortest paths between all pairs of nodes, Pannotia's fw.

local kit = require "warploom.kit"

local function run(dev, p)
  local n = p.n
  dev:module "apsp.ptx"
  -- One pair of eight has an edge; 10000 is none.
  local random = kit.random(p.seed)
  local edge = kit.array(dev, "i32", n * n, function(i)
    return i // n == i % n and 0 or random(8) == 0 and 1 + random(100) or
           10000
  end)
  local distance = dev:upload(edge, "distance")
  for k = 0, n - 1 do
    dev:launch("apsp", { grid = { kit.ceil(n, 16), kit.ceil(n, 16) },
                         block = { 16, 16 }, args = { distance, n, k } })
  end

  return function()
    local d = kit.list(edge)
    for k = 0, n - 1 do
      for i = 0, n - 1 do
        local first = d[i * n + k]
        for j = 0, n - 1 do
          local through = first + d[k * n + j]
          if through < d[i * n + j] then d[i * n + j] = through end
        end
      end
    end
    kit.equal(dev, "distance", distance, d)
    dev:verified "the distances of all pairs"
  end
end

return {
  name = "apsp",
  doc = "Shortest paths between all pairs of nodes (Pannotia fw)",
  suite = "Pannotia",
  source = "Floyd and Warshall",
  classes = { apcm = "CI" },
  params = { kit.param("n", 96, "Nodes", 4096, 2) },
  sizes = { tiny = { n = 24 }, paper = { n = 512 } },
  paper = "as many nodes as the graph that comes with Pannotia",
  loads = { apsp = { distance = "inter divergent" } },
  reference = { at = { n = 128 }, minst = 73.3, lines = 11.0,
                hits = { 96, 98, 98, 98 } },
  run = run,
}
