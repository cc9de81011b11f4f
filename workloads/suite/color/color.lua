-- color: colouring of a graph, Pannotia's color.

local kit = require "warploom.kit"

local function run(dev, p)
  local n = p.nodes
  dev:module "color.ptx"
  local start, neighbour = kit.graph(p.seed, n, p.degree)
  local number, random = {}, kit.random(p.seed + 1)
  for i = 0, n - 1 do -- all different
    local other = random(i + 1)
    number[i] = number[other]
    number[other] = i
  end
  local dstart = kit.upload(dev, "i32", start, "start")
  local dneighbour = kit.upload(dev, "i32", neighbour, "neighbour")
  local dnumber = kit.upload(dev, "i32", number, "number")
  local color = dev:upload(dev:array("i32", n):fill(-1), "color")
  local largest = kit.zeros(dev, "i32", n, "largest")
  local again, round = kit.zeros(dev, "i32", 1, "again"), 0
  repeat
    again:upload { 0 }
    kit.row(dev, "color_largest", n, p.block,
            { dstart, dneighbour, dnumber, color, largest, again, n })
    kit.row(dev, "color_assign", n, p.block,
            { dnumber, color, largest, round, n })
    round = round + 1
  until again:download()[0] == 0

  return function()
    local c = kit.list(color)
    for i = 0, n - 1 do
      dev:check(c[i] >= 0, "a node has no colour")
      for e = start[i], start[i + 1] - 1 do
        local j = neighbour[e]
        dev:check(c[i] ~= c[j], "neighbours have the same colour")
        -- Who has the larger number is first.
        dev:check((number[i] > number[j]) == (c[i] < c[j]),
                  "a node had to wait for its neighbour")
      end
    end
    dev:verified "colours of all neighbours"
  end
end

return {
  name = "color",
  doc = "Colouring of a graph (Pannotia color)",
  suite = "Pannotia",
  source = "Jones and Plassmann, 1993",
  classes = { apcm = "CS" },
  params = { kit.param("nodes", 16384, "Nodes of the graph", 1 << 22, 2),
             kit.param("degree", 6, "Mean number of neighbours", 256, 2),
             kit.block },
  sizes = { tiny = { nodes = 300 },
            paper = { nodes = 184320 } },
  paper = "by rule",
  loads = {
    color_largest = { start = "mixed coherent", neighbour = "intra divergent",
                      number = "inter divergent", color = "inter divergent" },
    color_assign = { number = "inter coherent",
                     color = "inter coherent",
                     largest = "streaming coherent" },
  },
  reference = { at = { nodes = 16384 }, minst = 24.5, lines = 4.6,
                hits = { 17, 31, 44, 88 } },
  run = run,
}
