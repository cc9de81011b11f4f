-- pathfinder: cheapest way through a grid, Rodinia's pathfinder.

local kit = require "warploom.kit"

local width = 256

local function run(dev, p)
  local rows, columns, height = p.rows, p.columns, p.height
  dev:module "pathfinder.ptx"
  local wall = dev:array("i32", rows * columns):random(p.seed, 0, 9)
  local dwall = dev:upload(wall:slice(columns, (rows - 1) * columns), "wall")
  local from = dev:upload(wall:slice(0, columns), "from")
  local to = kit.zeros(dev, "i32", columns, "to")
  local grid = kit.ceil(columns, width - 2 * height)
  for first = 0, rows - 2, height do
    dev:launch("pathfinder", { grid = grid, block = width,
      args = { math.min(height, rows - 1 - first), dwall, from, to, columns,
               first, height } })
    from, to = to, from
  end

  return function()
    local w, a = kit.list(wall), {}
    for x = 0, columns - 1 do a[x] = w[x] end
    for r = 1, rows - 1 do
      local b = {}
      for x = 0, columns - 1 do
        b[x] = w[r * columns + x] + math.min(a[x], a[x - 1] or a[x],
                                             a[x + 1] or a[x])
      end
      a = b
    end
    kit.equal(dev, "cost", from, a)
    dev:verified "the cost of every column"
  end
end

return {
  name = "pathfinder",
  doc = "Cheapest way through a grid (Rodinia pathfinder)",
  suite = "Rodinia",
  source = "dynamic programming",
  classes = { twolevel = "named" },
  params = { kit.param("columns", 40000, "Columns of the grid", 1 << 22, 2),
             kit.param("rows", 41, "Rows of the grid", 100000, 2),
             kit.param("height", 20, "Rows that a launch computes", 120) },
  sizes = { tiny = { columns = 500, rows = 12, height = 5 },
            paper = { columns = 100000, rows = 100 } },
  paper = "the default of Rodinia",
  notes = "99 % of its loads miss in the L1 of the two-level paper.",
  loads = {
    pathfinder = { wall = "inter coherent", from = "inter coherent",
                   to = "inter coherent" },
  },
  reference = { at = { columns = 20000, rows = 20 }, minst = 15.8,
                lines = 1.9, hits = { 44 } },
  run = run,
}
