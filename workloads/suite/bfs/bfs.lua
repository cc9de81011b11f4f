-- bfs: breadth-first search level by level, Rodinia's two-kernel algorithm.
--
-- A random graph of uniform degree; the host launches both kernels until no
-- node was reached, as the published program does.

local kit = require "warploom.kit"

-- Nodes as pairs (first, count), and the array of edges.
local function make_graph(dev, p)
  local n, degree = p.nodes, p.degree
  local counts = dev:array("i32", n):random(p.seed, 1, 2 * degree - 1)
  local nodes, total = dev:array("i32", 2 * n), 0
  for i = 0, n - 1 do
    nodes[2 * i], nodes[2 * i + 1] = total, counts[i]
    total = total + counts[i]
  end
  local edges = dev:array("i32", total):random(p.seed + 1, 0, n - 1)
  return nodes, edges
end

-- Levels by a queue on the CPU; -1 where the source does not lead.
local function reference(nodes, edges, n, source)
  local cost, queue, head = {}, { source }, 1
  for i = 0, n - 1 do cost[i] = -1 end
  cost[source] = 0
  while queue[head] do
    local i = queue[head]
    head = head + 1
    local first = nodes[2 * i]
    for e = first, first + nodes[2 * i + 1] - 1 do
      local to = edges[e]
      if cost[to] < 0 then
        cost[to] = cost[i] + 1
        queue[#queue + 1] = to
      end
    end
  end
  return cost
end

local function run(dev, p)
  local n, source = p.nodes, p.source
  local grid = (n + p.block - 1) // p.block

  dev:check(source < n, "the source is not a node")
  dev:module "bfs.ptx"
  local nodes, edges = make_graph(dev, p)
  local mark = dev:array("u8", n)
  mark[source] = 1
  local cost = dev:array("i32", n):fill(-1)
  cost[source] = 0
  local dnodes, dedges = dev:upload(nodes, "nodes"), dev:upload(edges, "edges")
  local dfrontier = dev:upload(mark, "frontier")
  local dvisited = dev:upload(mark, "visited")
  local dnext = dev:alloc({ type = "u8", count = n }, "next")
  local dcost = dev:upload(cost, "cost")
  local dagain = dev:alloc({ type = "i32", count = 1 }, "again")

  repeat
    dagain:upload { 0 }
    dev:launch("bfs_expand", { grid = grid, block = p.block,
      args = { dnodes, dedges, dfrontier, dnext, dvisited, dcost, n } })
    dev:launch("bfs_advance", { grid = grid, block = p.block,
      args = { dfrontier, dnext, dvisited, dagain, n } })
  until dagain:download()[0] == 0

  return function()
    kit.equal(dev, "level", dcost, reference(nodes, edges, n, source))
    dev:verified "levels of all nodes"
  end
end

return {
  name = "bfs",
  doc = "Breadth-first search, level by level (Rodinia BFS)",
  suite = "Rodinia",
  source = "Harish and Narayanan, HiPC 2007",
  classes = { apcm = "CS", dacache = "divergent", loscache = "named" },
  sizes = { tiny = { nodes = 300, degree = 3 },
            paper = { nodes = 833333 } },
  paper = "DaCache: \"5M edges\", at six for each node",
  loads = {
    bfs_expand = { frontier = "inter coherent", nodes = "intra coherent",
                   edges = "intra divergent", visited = "inter divergent",
                   cost = "intra coherent" },
    bfs_advance = { next = "inter coherent" },
  },
  reference = { at = { nodes = 65536 }, minst = 35.2, lines = 2.6,
                hits = { 28, 43, 55, 88 } },
  params = {
    kit.param("nodes", 16384, "Nodes of the graph", 1 << 22),
    kit.param("degree", 6, "Mean number of edges of a node", 1024),
    { name = "source", default = 0, min = 0, doc = "Where the search starts" },
    kit.block,
    { name = "seed", default = 1, min = 0, doc = "Seed of the graph" },
  },
  run = run,
}
