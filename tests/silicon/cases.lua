-- The cases that are measured on cards: name, parameters, host program.  Sizes
-- and block shapes are those of the published durations of an H100 PCIe.
--
-- Data have a period of 16 KiB, so that files for cards stay small; no kernel's
-- time depends on values.

local M = {}

local period = 4096

-- f32 elements: whole numbers 0 .. below - 1.
local function data(dev, count, seed, below)
  local some = dev:array("f32", period):random(seed, 0, below or 4, 1)
  if count <= period then return some:slice(0, count) end
  local text = some:string()
  return text:rep(count // period) .. text:sub(1, count % period * 4)
end

-- How much of each copy of more than `least` bytes is copied once more, in
-- blocks of `grain` bytes that are spread over it: with a `preload_most` of no
-- less than a block and less than the copy those alone stay in the L2.
M.stays = { share = 0, least = math.huge, grain = 4096 }

local function stay(buffer, all, bytes)
  local grain, golden = M.stays.grain, 0.6180339887
  for i = 0, (bytes - 1) // grain do
    if i * golden % 1 < M.stays.share then
      local at, count = i * grain, math.min(grain, bytes - i * grain)
      buffer:upload(type(all) == "string" and all:sub(at + 1, at + count) or
                    all:slice(at // 4, count // 4), { offset = at })
    end
  end
end

-- Bytes between two arrays.
M.gap = 0

local function upload(dev, name, count, seed)
  local all = data(dev, count, seed)
  if M.gap > 0 then dev:alloc(M.gap) end
  local buffer = dev:alloc({ type = "f32", count = count }, name):upload(all)
  if 4 * count > M.stays.least and
     (M.stays.only or name) == name then
    stay(buffer, all, 4 * count)
  end
  return buffer
end

local function zeros(dev, name, count)
  if M.gap > 0 then dev:alloc(M.gap) end
  return dev:alloc({ type = "f32", count = count }, name)
end

-- What the kernels' text is made into, if anything.
M.change_text = nil

local function module(dev)
  if not M.change_text then return dev:module "bench.ptx" end
  local folder = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."
  local file <close> = assert(io.open(folder .. "/bench.ptx"))
  return dev:module(M.change_text(file:read "a"))
end

local function ceil(n, d) return (n + d - 1) // d end

local programs = {}

function programs.emptykernel(dev, p)
  module(dev)
  dev:launch("emptykernel", { grid = p.block, block = p.thread })
end

function programs.ffmakernel(dev, p)
  module(dev)
  local out = zeros(dev, "out", 1)
  dev:launch("ffmakernel", { grid = p.block, block = p.thread,
                             args = { out, 1.5, 0.5, p.iters } })
end

function programs.vectoradd(dev, p)
  module(dev)
  local n = p.size
  local c = zeros(dev, "c", n)
  local a, b = upload(dev, "a", n, 1), upload(dev, "b", n, 2)
  dev:launch("vectoradd", { grid = ceil(n, 256), block = 256,
                            args = { a, b, c, n } })
  return c
end

function programs.scalarprod(dev, p)
  module(dev)
  local n = p.vectorN * p.elementN
  local c = zeros(dev, "c", p.vectorN)
  local a, b = upload(dev, "a", n, 1), upload(dev, "b", n, 2)
  dev:launch("scalarprod", { grid = 128, block = 256,
                             args = { c, a, b, p.vectorN, p.elementN } })
  return c
end

programs["scan-short"] = function(dev, p)
  module(dev)
  local from, to = upload(dev, "from", p.size, 1), zeros(dev, "to", p.size)
  dev:launch("scan_short", { grid = ceil(p.size, 1024), block = 256,
                             args = { to, from, p.arrayLength } })
end

function programs.transpose(dev, p)
  module(dev)
  local n = p.dimX * p.dimY
  local from, to = upload(dev, "from", n, 1), zeros(dev, "to", n)
  dev:launch("transpose_" .. p.kernel, {
    grid = { p.dimX // 16, p.dimY // 16 }, block = { 16, 16 },
    args = { to, from, p.dimX, p.dimY } })
  return to
end

programs["2dconv"] = function(dev, p)
  module(dev)
  local n, bx = p.size, p.blockDimX
  local a, b = upload(dev, "a", n * n, 1), zeros(dev, "b", n * n)
  dev:launch("conv2d", { grid = { ceil(n, bx), ceil(n, 8) },
                         block = { bx, 8 }, args = { a, b, n, n } })
end

programs["3dconv"] = function(dev, p)
  module(dev)
  local n, bx = p.size, p.blockDimX
  local a, b = upload(dev, "a", n * n * n, 1), zeros(dev, "b", n * n * n)
  for i = 1, n - 2 do
    dev:launch("conv3d", { grid = { ceil(n, bx), ceil(n, 8) },
                           block = { bx, 8 }, args = { a, b, n, n, n, i } })
  end
end

programs["2mm"] = function(dev, p)
  module(dev)
  local n, bx = p.size, p.blockDimX
  local a, b = upload(dev, "a", n * n, 1), upload(dev, "b", n * n, 2)
  local c, d, e = upload(dev, "c", n * n, 3), upload(dev, "d", n * n, 4),
                  upload(dev, "e", n * n, 5)
  local shape = { grid = { ceil(n, bx), ceil(n, 8) }, block = { bx, 8 } }
  for _, args in ipairs { { a, b, c }, { c, d, e } } do
    table.move({ n, n, n }, 1, 3, 4, args)
    shape.args = args
    dev:launch("product", shape)
  end
end

function programs.gemm(dev, p)
  module(dev)
  local n, bx = p.size, p.blockDimX
  local a, b = upload(dev, "a", n * n, 1), upload(dev, "b", n * n, 2)
  local c = upload(dev, "c", n * n, 3)
  dev:launch("gemm", { grid = { ceil(n, bx), ceil(n, 8) }, block = { bx, 8 },
                       args = { a, b, c, n, n, n } })
end

function programs.atax(dev, p)
  module(dev)
  local n, bx = p.size, p.blockDimX
  local a, x = upload(dev, "a", n * n, 1), upload(dev, "x", n, 2)
  local y, tmp = upload(dev, "y", n, 3), upload(dev, "tmp", n, 4)
  dev:launch("atax_rows", { grid = ceil(n, bx), block = bx,
                            args = { a, x, tmp, n, n } })
  dev:launch("atax_columns", { grid = ceil(n, bx), block = bx,
                               args = { a, y, tmp, n, n } })
end

function programs.bicg(dev, p)
  module(dev)
  local n, bx = p.size, p.blockDimX
  local a, r = upload(dev, "a", n * n, 1), upload(dev, "r", n, 2)
  local s, pp = upload(dev, "s", n, 3), upload(dev, "p", n, 4)
  local q = upload(dev, "q", n, 5)
  dev:launch("bicg_columns", { grid = ceil(n, bx), block = bx,
                               args = { a, r, s, n, n } })
  dev:launch("bicg_rows", { grid = ceil(n, bx), block = bx,
                            args = { a, pp, q, n, n } })
end

function programs.gesummv(dev, p)
  module(dev)
  local n, bx = p.size, p.blockDimX
  local a, b = upload(dev, "a", n * n, 1), upload(dev, "b", n * n, 2)
  local x, y = upload(dev, "x", n, 3), upload(dev, "y", n, 4)
  local tmp = upload(dev, "tmp", n, 5)
  dev:launch("gesummv", { grid = ceil(n, bx), block = bx,
                          args = { a, b, x, y, tmp, n } })
end

function programs.nn(dev, p)
  module(dev)
  local places = upload(dev, "places", 2 * p.size, 1)
  local distances = zeros(dev, "distances", p.size)
  for _ = 1, p.launches or 1 do
    dev:launch("nn", { grid = ceil(p.size, p.block), block = p.block,
                       args = { places, distances, p.size, 30.0, 90.0 } })
  end
end

-- As Rodinia's host program does, which takes sizes below a block, too.
function programs.lud(dev, p)
  module(dev)
  local n = p.size
  local m = upload(dev, "m", math.max(n * n, 256), 1)
  for offset = 0, math.max(n - 16, 0), 16 do
    local left = (n - offset) // 16 - 1
    local args = { m, n, offset }
    dev:launch("lud_diagonal", { grid = 1, block = 16, args = args })
    if left > 0 then
      dev:launch("lud_perimeter", { grid = left, block = 32, args = args })
      dev:launch("lud_internal", { grid = { left, left }, block = { 16, 16 },
                                   args = args })
    end
  end
end

-- How much of pathfinder and bfs is known: docs/silicon.md.  A square grid, a
-- row for each launch.
function programs.pathfinder(dev, p)
  module(dev)
  local n = p.size
  local wall = upload(dev, "wall", n * n, 1)
  local from, to = upload(dev, "from", n, 2), zeros(dev, "to", n)
  for row = 0, n - 1 do
    dev:launch("pathfinder_row", { grid = ceil(n, p.block), block = p.block,
                                   args = { wall, from, to, n, row } })
    from, to = to, from
  end
end

-- Each node leads to the `degree` that follow; until all are reached and one
-- round more, but ten at most.
function programs.bfs(dev, p)
  module(dev)
  local n, degree = p.size, p.degree
  local nodes, edges = dev:array("i32", 2 * n), dev:array("i32", n * degree)
  for i = 0, n - 1 do
    nodes[2 * i], nodes[2 * i + 1] = i * degree, degree
    for k = 1, degree do edges[i * degree + k - 1] = (i + k) % n end
  end
  local mark, cost = dev:array("u8", n), dev:array("i32", n):fill(-1)
  mark[0], cost[0] = 1, 0
  nodes, edges = dev:upload(nodes, "nodes"), dev:upload(edges, "edges")
  local frontier = dev:upload(mark, "frontier")
  local visited, next = dev:upload(mark, "visited"),
                        dev:alloc({ type = "u8", count = n }, "next")
  cost = dev:upload(cost, "cost")
  local again = dev:alloc({ type = "i32", count = 1 }, "again")
  local shape = { grid = ceil(n, 256), block = 256 }
  for _ = 1, math.min(ceil(n - 1, degree) + 1, 10) do
    again:upload { 0 }
    shape.args = { nodes, edges, frontier, next, visited, cost, n }
    dev:launch("bfs_expand", shape)
    shape.args = { frontier, next, visited, again, n }
    dev:launch("bfs_advance", shape)
  end
end

function programs.backprop(dev, p)
  module(dev)
  local n, hidden = p.size, 16
  local input = upload(dev, "input", n + 1, 1)
  local weights = upload(dev, "weights", (n + 1) * (hidden + 1), 2)
  local sums = zeros(dev, "sums", n // 16 * hidden)
  local shape = { grid = { 1, n // 16 }, block = { 16, 16 } }
  shape.args = { input, weights, sums, hidden }
  dev:launch("backprop_forward", shape)
  local delta = upload(dev, "delta", hidden + 1, 3)
  local old = upload(dev, "old", (n + 1) * (hidden + 1), 4)
  shape.args = { delta, hidden, input, weights, old }
  dev:launch("backprop_adjust", shape)
end

-- { program, { parameter = value } }, ...
local cases = {}

-- All combinations: `axes` is { { name, { values } }, ... }.
local function all(name, axes, fixed)
  local function rest(i, values)
    if i > #axes then
      local set = {}
      for key, value in next, values do set[key] = value end
      for key, value in next, fixed or {} do set[key] = value end
      cases[#cases + 1] = { name, set }
      return
    end
    for _, value in ipairs(axes[i][2]) do
      values[axes[i][1]] = value
      rest(i + 1, values)
    end
  end
  rest(1, {})
end

local function powers(from, to)
  local list = {}
  while from <= to do
    list[#list + 1] = from
    from = from * 2
  end
  return list
end

all("emptykernel", {
  { "thread", { 32, 64, 128, 256, 288, 384, 480, 512, 544, 640, 736, 768, 864,
                1024 } },
  { "block", { 1, 132, 1024, 2048, 4096, 16384, 65536 } } })
all("ffmakernel", { { "thread", { 32, 64, 128 } }, { "block", { 1, 3, 300 } },
                    { "iters", { 10, 20, 40 } } })
all("ffmakernel", { { "thread", { 128 } },
                    { "block", { 600, 1000, 1400, 2400, 3400, 5200, 5800 } },
                    { "iters", { 10, 20 } } })
all("vectoradd", { { "size", powers(16384, 16777216) } })
all("scalarprod", { { "vectorN", powers(32, 512) },
                    { "elementN", { 2048, 4096 } } })
all("scan-short", { { "size", powers(4096, 262144) },
                    { "arrayLength", { 512, 1024 } } })
all("transpose", {
  { "kernel", { "naive", "copy", "coalesced", "padded" } },
  { "n", { 1024, 1536, 2048, 3072, 4096 } } })
for _, one in ipairs(cases) do
  local set = one[2]
  if set.n then set.dimX, set.dimY, set.n = set.n, set.n, nil end
end
local sizes = { 32, 48, 64, 96, 128, 192, 256, 384, 512 }
local blocks = { "blockDimX", { 8, 16, 32 } }
all("2dconv", { { "size", { 32, 48, 64, 96, 128, 192, 256, 384, 512, 768,
                            1024 } }, blocks })
all("3dconv", { { "size", { 32, 64, 128 } }, blocks })
for _, name in ipairs { "atax", "bicg", "gemm", "gesummv", "2mm" } do
  all(name, { { "size", sizes }, blocks })
end
all("gemm", { { "size", { 768, 1024 } }, { "blockDimX", { 32 } } })
all("2mm", { { "size", { 768, 1024 } }, { "blockDimX", { 32 } } })
for _, name in ipairs { "atax", "bicg", "gesummv" } do
  all(name, { { "size", { 1024, 2048, 4096 } }, { "blockDimX", { 32 } } })
end
all("nn", { { "size", { 10000, 15000, 20000, 30000, 40000, 60000, 80000,
                        120000, 160000, 1048576 } },
            { "block", { 64, 128, 256 } } })
all("backprop", { { "size", { 1024, 4096, 16384, 65536, 262144 } } })

local function describe(set)
  local list = {}
  for key in next, set do list[#list + 1] = key end
  table.sort(list)
  for i, key in ipairs(list) do list[i] = key .. "=" .. tostring(set[key]) end
  return table.concat(list, ";")
end

-- Cases whose name matches: all, or those that `times` has, by name.
function M.list(_, pattern, times)
  local list = {}
  local function add(name, text, set)
    if (name .. " " .. text):find(pattern) then
      list[#list + 1] = { name = name, values = set, text = text }
    end
  end
  if not times then
    for _, one in ipairs(cases) do add(one[1], describe(one[2]), one[2]) end
    return list
  end
  for case in next, times do
    local name, text = case:match "^(.-)_(.*)$"
    local set = {}
    for key, value in text:gmatch "([^;=]+)=([^;]+)" do
      set[key] = math.tointeger(value) or value
    end
    add(name, text, set)
  end
  table.sort(list, function(a, b)
    return a.name .. a.text < b.name .. b.text
  end)
  return list
end

-- An empty kernel, so that what follows meets refreshes at another time.
function M.wait(dev, i)
  module(dev)
  dev:launch("emptykernel", { grid = 300 * i, block = 32 })
end

-- `before` is done first, if it is given.
function M.workload(loom, case, before)
  return loom.workload {
    name = case.name .. " " .. case.text,
    run = function(dev)
      if before then before(dev) end
      programs[case.name](dev, case.values)
    end,
  }
end

return M
