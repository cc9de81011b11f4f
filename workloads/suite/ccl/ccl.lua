-- ccl: labels of connected components.

local kit = require "warploom.kit"

local function run(dev, p)
  local n = p.nodes
  dev:module "ccl.ptx"
  local start, neighbour = kit.graph(p.seed, n, p.degree)
  local dstart = kit.upload(dev, "i32", start, "start")
  local dneighbour = kit.upload(dev, "i32", neighbour, "neighbour")
  local label = dev:upload(kit.array(dev, "i32", n, function(i)
    return i
  end), "label")
  local again = kit.zeros(dev, "i32", 1, "again")
  repeat
    again:upload { 0 }
    kit.row(dev, "ccl_hook", n, p.block,
            { dstart, dneighbour, label, again, n })
    kit.row(dev, "ccl_jump", n, p.block, { label, n })
  until again:download()[0] == 0

  return function()
    local want = {}
    for i = 0, n - 1 do
      local list = want[i] == nil and { i } or {}
      while #list > 0 do
        local at = table.remove(list)
        want[at] = i
        for e = start[at], start[at + 1] - 1 do
          local j = neighbour[e]
          if want[j] == nil then
            want[j] = i
            list[#list + 1] = j
          end
        end
      end
    end
    kit.equal(dev, "label", label, want)
    dev:verified "the component of every node"
  end
end

return {
  name = "ccl",
  doc = "Labels of the connected components of a graph",
  suite = "Pannotia",
  source = "Soman, Kishore and Narayanan, 2010 (hooking and jumping)",
  classes = { apcm = "CM" },
  params = { kit.param("nodes", 16384, "Nodes of the graph", 1 << 22, 2),
             kit.param("degree", 3, "Mean number of neighbours", 256, 2),
             kit.block },
  sizes = { tiny = { nodes = 300 },
            paper = { nodes = 184320 } },
  paper = "by rule",
  notes = "APCM names it after a paper whose code is not public.",
  loads = {
    ccl_hook = { start = "inter coherent", neighbour = "mixed divergent",
                 label = "inter divergent" },
    ccl_jump = { label = "inter divergent" },
  },
  run = run,
}
