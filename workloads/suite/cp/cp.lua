-- cp: coulombic potential on a grid, Parboil's cp.

local kit = require "warploom.kit"

local spacing, batch = 0.1, 1024

-- The potential of a row of points.
local function row_of(atom, n, w, y)
  local want = {}
  for x = 0, w - 1 do
    local sum = 0
    for i = 0, 4 * n - 1, 4 do
      local dx, dy = spacing * x - atom[i], spacing * y - atom[i + 1]
      sum = sum + atom[i + 3] / (dx * dx + dy * dy + atom[i + 2]) ^ 0.5
    end
    want[x] = sum
  end
  return want
end

local function run(dev, p)
  local w, h, n = p.columns, p.rows, p.atoms
  dev:check(w % 128 == 0 and h % 8 == 0,
            "columns must be a multiple of 128, rows of 8")
  dev:module "cp.ptx"
  -- Place and charge; atoms are at least 1 from the plane.
  local atom = kit.real(dev, 4 * n, p.seed)
  for i = 0, n - 1 do
    atom[4 * i] = atom[4 * i] * w * spacing
    atom[4 * i + 1] = atom[4 * i + 1] * h * spacing
    atom[4 * i + 2] = (1 + atom[4 * i + 2]) ^ 2
  end
  local energy = kit.zeros(dev, "f32", w * h, "energy")
  for first = 0, n - 1, batch do
    local count = math.min(batch, n - first)
    dev:constant("atom", atom:slice(4 * first, 4 * count))
    dev:launch("cp", { grid = { w // 128, h // 8 }, block = { 16, 8 },
                       args = { count, spacing, energy, w } })
  end

  return function()
    local t, got = kit.list(atom), energy:download()
    local some, held = kit.some(p.seed, h, w * n)
    for y = 0, h - 1 do
      if not some or some[y] then
        kit.close(dev, "row " .. y .. " of energy", got:slice(y * w, w),
                  row_of(t, n, w, y), 1e-4)
      end
    end
    dev:verified(("the potential of every point%s, to 1e-4"):format(
      some and (" in %d of %d rows"):format(held, h) or ""))
  end
end

return {
  name = "cp",
  doc = "Coulombic potential on a grid (Parboil cp)",
  suite = "Parboil",
  source = "Stone et al., 2007",
  classes = { loscache = "named" },
  params = { kit.param("columns", 256, "Grid points in a row", 4096, 128),
             kit.param("rows", 128, "Rows of grid points", 4096, 8),
             kit.param("atoms", 128, "Atoms", 100000) },
  sizes = { tiny = { columns = 128, rows = 16, atoms = 5 },
            paper = { columns = 512, rows = 512, atoms = 40000 } },
  paper = "LoSCache: \"default inputs\"",
  loads = { cp = { energy = "streaming coherent" } },
  run = run,
}
