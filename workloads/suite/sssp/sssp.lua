-- sssp: shortest paths from one node, Pannotia's sssp.

local kit = require "warploom.kit"

local far = 1000000000

-- Rounds of relaxation on the CPU, with a list of the nodes that changed.
local function reference(start, neighbour, length, n)
  local d, list = {}, { 0 }
  for i = 0, n - 1 do d[i] = far end
  d[0] = 0
  while #list > 0 do
    local changed, more = {}, {}
    for _, i in ipairs(list) do
      for e = start[i], start[i + 1] - 1 do
        local j = neighbour[e]
        if d[i] + length[e] < d[j] then
          d[j] = d[i] + length[e]
          if not changed[j] then
            changed[j] = true
            more[#more + 1] = j
          end
        end
      end
    end
    list = more
  end
  return d
end

local function run(dev, p)
  local n = p.nodes
  dev:module "sssp.ptx"
  local start, neighbour, partner = kit.graph(p.seed, n, p.degree)
  local random, length = kit.random(p.seed + 1), {}
  for e = 0, start[n] - 1 do -- the same in both directions
    length[e] = length[partner[e]] or 1 + random(10)
  end
  local distance = dev:array("i32", n):fill(far)
  distance[0] = 0
  local dstart = kit.upload(dev, "i32", start, "start")
  local dneighbour = kit.upload(dev, "i32", neighbour, "neighbour")
  local dlength = kit.upload(dev, "i32", length, "length")
  local before, after = dev:upload(distance, "before"),
                        kit.zeros(dev, "i32", n, "after")
  local again = kit.zeros(dev, "i32", 1, "again")
  repeat
    again:upload { 0 }
    kit.row(dev, "sssp_round", n, p.block,
            { dstart, dneighbour, dlength, before, after, n })
    kit.row(dev, "sssp_differs", n, p.block, { before, after, again, n })
    kit.row(dev, "sssp_assign", n, p.block, { before, after, n })
  until again:download()[0] == 0

  return function()
    kit.equal(dev, "distance", before,
              reference(start, neighbour, length, n))
    dev:verified "the distance of every node"
  end
end

return {
  name = "sssp",
  doc = "Shortest paths from one node (Pannotia sssp)",
  suite = "Pannotia",
  source = "Bellman and Ford",
  classes = { apcm = "CS" },
  params = { kit.param("nodes", 16384, "Nodes of the graph", 1 << 22, 2),
             kit.param("degree", 6, "Mean number of neighbours", 256, 2),
             kit.param("block", 64, "Threads per CTA", 1024, 32) },
  sizes = { tiny = { nodes = 300 },
            paper = { nodes = 61440 } },
  paper = "by rule",
  loads = {
    sssp_round = { start = "inter coherent", neighbour = "intra divergent",
                   length = "intra divergent", before = "inter divergent" },
    sssp_differs = { before = "inter coherent",
                     after = "streaming coherent" },
    sssp_assign = { after = "inter coherent" },
  },
  reference = { at = { nodes = 16384 }, minst = 45.9, lines = 7.4,
                hits = { 16, 30, 49, 96 } },
  run = run,
}
