-- The figures of docs/validation.md, and the one of tests/silicon/silicon.sh.
--
-- usage: lua5.4 figures.lua [--list] [FOLDER [OUT [NAME...]]]
--
-- FOLDER (docs/validation unless told) has what was measured: NAME.csv.  OUT
-- (FOLDER unless told) gets NAME.svg of all figures whose data is there, or of
-- those that are named.  Exit status 77: here is nothing that draws.  --list
-- prints the names of the page's figures.
package.path = (arg[0]:match "^(.*/)" or "./") .. "?.lua;" .. package.path
local chart = require "chart"

local colours = chart.palette
-- Yellow is pale on white.
local COLOURS = { colours[1], colours[6], colours[3], colours[4], colours[2],
                  colours[5], colours[8] }
local SHAPES = { "circle", "square", "triangle-up", "diamond", "triangle-down",
                 "cross", "triangle-left" }

local folder

-- Rows of NAME.csv, by the names of its head; "#" begins a remark.
local function rows_of(name, separator)
  local out, head = {}, nil
  separator = separator or ";"
  for line in io.lines(("%s/%s.csv"):format(folder, name)) do
    local cells = {}
    for cell in (line .. separator):gmatch("(.-)" .. separator) do
      cells[#cells + 1] = cell
    end
    if line:find "^#" then
      cells = nil
    elseif not head then
      head, cells = cells, nil
    end
    for i, key in ipairs(cells and head or {}) do
      cells[key] = tonumber(cells[i]) or cells[i]
    end
    out[#out + 1] = cells
  end
  return out
end

-- Two columns of the rows for which all of `where` is so.
local function columns(rows, x, y, where)
  local xs, ys = {}, {}
  for _, row in ipairs(rows) do
    local wanted = true
    for key, value in next, where do
      wanted = wanted and row[key] == value
    end
    if wanted then xs[#xs + 1], ys[#ys + 1] = row[x], row[y] end
  end
  return xs, ys
end

-- A series with colour and shape of its number.
local function points(i, name, rows, x, y, where)
  local xs, ys = columns(rows, x, y, where)
  return { name = name, colour = COLOURS[i], shape = SHAPES[i], x = xs, y = ys }
end

local function line(name, colour, rows, x, y, where)
  local xs, ys = columns(rows, x, y, where)
  return { name = name, colour = colour, line = 1.8, x = xs, y = ys }
end

local function equal(range)
  return { name = "equal", colour = chart.GREY, line = 1.2, x = range,
           y = range }
end

local figures = {}

function figures.chase()
  local rows = rows_of "chase"
  local series = { { name = "what the parameters say", colour = "#b4b4b4",
                     line = 3 } }
  for i, machine in ipairs { "gtx480", "gtx480, changed", "small" } do
    local grey = line("", "#b4b4b4", rows, "bytes", "expected",
                      { machine = machine })
    grey.line, grey.silent = 3, true
    series[#series + 1] = grey
    series[#series + 1] = points(i, machine, rows, "bytes", "measured",
                                 { machine = machine })
  end
  return { title = "A dependent load: measured latency, and what the " ..
                   "parameters say",
    panels = { { series = series,
      x = { title = "footprint", range = { 400, 5000000 }, log = 2,
            ticks = { 512, 1024, 4096, 16384, 65536, 131072, 786432, 4194304 },
            label = "datum.value < 1024 ? datum.value + ' B' : " ..
                    "datum.value < 1048576 ? datum.value / 1024 + ' KiB' : " ..
                    "datum.value / 1048576 + ' MiB'" },
      y = { title = "latency, cycles of the core", range = { 0, 400 } } } } }
end

function figures.micro()
  local rows, range = rows_of "micro", { 0.2, 600 }
  local series = { equal(range) }
  for i, kernel in ipairs { "alu", "atomic", "chase", "const", "shared",
                            "stream", "stride" } do
    series[i + 1] = points(i, "micro_" .. kernel, rows, "expected",
                           "measured", { kernel = "micro_" .. kernel })
  end
  local function axis(title)
    return { title = title, range = range, log = true,
             ticks = { 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500 } }
  end
  return { title = "Micro-kernels: measured against the machine's parameters",
    panels = { { series = series, columns = 4, height = 400,
      x = axis "cycles per step that the parameters give",
      y = axis "cycles per step, measured" } } }
end

function figures.cycles()
  local rows, range = rows_of "cycles", { 500, 500000 }
  local series = { equal(range) }
  for i, config in ipairs { "gtx480", "gtx480_lrr", "gtx480_l1_32k",
                            "titanx_l1", "qv100" } do
    series[i + 1] = points(i, config, rows, "theirs", "ours",
                           { config = config })
  end
  local function axis(title)
    return { title = title, range = range, log = true,
             ticks = { 500, 1000, 2000, 5000, 10000, 20000, 50000, 100000,
                       200000, 500000 }, label = "format(datum.value, ',')" }
  end
  return { title = "Cycles of each launch, warploom and GPGPU-Sim 4.2",
    panels = { { series = series, height = 400, columns = 4,
      bands = { { name = "± 15 %",
                  low = { range[1] * 0.85, range[2] * 0.85 },
                  high = { range[1] * 1.15, range[2] * 1.15 } } },
      x = axis "GPGPU-Sim, cycles", y = axis "warploom, cycles" } } }
end

function figures.misses()
  local rows, range = rows_of "misses", { 0, 100 }
  return { title = "Misses per access of the same launches", width = 520,
    panels = { { width = 430, height = 430, columns = 4,
      bands = { { name = "± 8 points", low = { -8, 92 }, high = { 8, 108 } } },
      x = { title = "GPGPU-Sim, % of accesses", range = range },
      y = { title = "warploom, % of accesses", range = range },
      series = { equal(range),
        points(1, "L1D", rows, "theirs", "ours", { level = "L1D" }),
        points(2, "L2", rows, "theirs", "ours", { level = "L2" }) } } } }
end

function figures.network()
  local rows, series = rows_of "network", {}
  for i, case in ipairs {
    { "8 x 8 mesh, 4 VCs, 1 flit", "mesh8x8_4vc uniform 1" },
    { "8 x 8 mesh, 4 VCs, 4 flits", "mesh8x8_4vc uniform 4" },
    { "27 x 27 crossbar, 4 VCs, 4 flits", "xbar27_4vc uniform 4" },
    { "27 x 27 crossbar, 1 VC, 4 flits", "xbar27_gpgpusim3 uniform 4" },
  } do
    local where = { case = case[2] }
    local theirs = line("", COLOURS[i], rows, "offered", "expected", where)
    theirs.silent = true
    series[#series + 1] = theirs
    series[#series + 1] = points(i, case[1], rows, "offered", "measured",
                                 where)
  end
  return { title = "Packet latency by load: points warploom, lines BookSim 2",
    panels = { { series = series, columns = 2,
      x = { title = "offered load, flits per node and cycle",
            range = { 0, 0.45 }, ticks = { 0, 0.1, 0.2, 0.3, 0.4 } },
      y = { title = "mean latency, cycles", range = { 0, 50 },
            ticks = { 0, 10, 20, 30, 40, 50 } } } } }
end

function figures.dram()
  local rows, panels = rows_of "dram", {}
  for p, config in ipairs { "gddr5_8gb_noref", "hbm2_8gb_noref" } do
    local series, kinds = {}, {}
    for _, kind in ipairs {
      { "DRAMsim3", "DRAMsim3", "circle" },
      { "ramulator2.1", "Ramulator 2", chart.RING, { 4, 3 } },
    } do
      table.insert(kinds, { name = kind[2], colour = chart.GREY, line = 1.5,
                            dash = kind[4] })
      table.insert(kinds, { name = "warploom as " .. kind[2],
                            colour = chart.GREY, shape = kind[3] })
      for i, pattern in ipairs { "seq", "random", "randblk4", "seq_rw21",
                                 "randblk4_rw21" } do
        local where = { config = config, pattern = pattern,
                        simulator = kind[1] }
        local theirs = line("", COLOURS[i], rows, "their_util",
                            "their_latency", where)
        theirs.line, theirs.dash, theirs.silent = 1.5, kind[4], true
        local ours = points(i, pattern, rows, "util", "latency", where)
        ours.shape, ours.silent = kind[3], kind[4] ~= nil
        ours.size = kind[4] and 80 or 28
        table.insert(series, theirs)
        table.insert(series, ours)
      end
    end
    table.move(kinds, 1, #kinds, #series + 1, series)
    panels[p] = { title = p == 1 and "GDDR5" or "HBM2", series = series,
      legend = p == 1, columns = 5, height = 270,
      x = { title = "share of the peak bandwidth", range = { 0, 1.05 },
            ticks = { 0, 0.2, 0.4, 0.6, 0.8, 1 } },
      y = { title = "mean latency of reads, cycles", range = { 10, 2000 },
            log = true, ticks = { 10, 20, 50, 100, 200, 500, 1000, 2000 } } }
  end
  return { title = "One channel of DRAM: latency by throughput",
           panels = panels }
end

-- A curve with its points marked.
local function curve(i, name, rows, x, where)
  local out = points(i, name, rows, x, "gbytes", where)
  out.line = 1.4
  return out
end

local function sl1_figure5(rows)
  local series = {}
  for blocks = 15, 1, -1 do
    local one = curve(1, "1 to 15 blocks, 1 load under way", rows, "threads",
                      { figure = 5, memory = "L2", ahead = 1,
                        blocks = blocks })
    one.silent = blocks ~= 15
    one.says = {}
    for k, threads in ipairs(one.x) do
      one.says[k] = ("%d blocks: %d, %g"):format(blocks, threads, one.y[k])
    end
    series[#series + 1] = one
  end
  for i, ahead in ipairs { 2, 4 } do
    local one = curve(i + 1, ("15 blocks, %d under way"):format(ahead), rows,
                      "threads", { figure = 5, ahead = ahead, blocks = 15 })
    one.dash = { 6, 3 }
    series[#series + 1] = one
  end
  local ticks = {}
  for i = 0, 8 do ticks[i + 1] = 128 * i end
  return { title = "Figure 5: 4-way coalesced loads from the L2",
    series = series, columns = 3, height = 280,
    x = { title = "threads of a block", range = { 0, 1024 }, ticks = ticks },
    y = { title = "bandwidth, GB/s", range = { 0, 520 } } }
end

function figures.sl1()
  local rows, ticks = rows_of "sl1", {}
  for i = 0, 15 do ticks[i + 1] = i end
  local series = { curve(1, "L2", rows, "blocks", { figure = 6,
                                                    memory = "L2" }) }
  for i, ahead in ipairs { 1, 2, 4 } do
    local one = curve(i + 1, ahead == 1 and "DRAM" or
                      ("DRAM, %d loads under way"):format(ahead), rows,
                      "blocks", { figure = 6, memory = "DRAM",
                                  ahead = ahead })
    one.dash = ahead > 1 and { 6, 3 } or nil
    series[#series + 1] = one
  end
  return { title = "S-L1's figures 5 and 6 on titan_black",
    panels = { sl1_figure5(rows), {
      title = "Figure 6: blocks of 1024 threads", series = series,
      columns = 4, height = 280,
      x = { title = "blocks", range = { 0, 15 }, ticks = ticks },
      y = { title = "bandwidth, GB/s", range = { 0, 520 } } } } }
end

-- Of tests/silicon/compare.lua, for each card.
function figures.silicon()
  local range, ticks = { 0.5, 2000 }, {}
  local series = { equal(range) }
  for i, card in ipairs { { "h100_sxm", "H100 SXM" },
                          { "h100_pcie", "H100 PCIe (published)" },
                          { "h200", "H200" } } do
    local rows = rows_of(card[1], ",")
    for _, row in ipairs(rows) do
      row.card, row.here = row.card_ns / 1000, row.here_ns / 1000
      range[1] = math.min(range[1], row.card, row.here)
      range[2] = math.max(range[2], row.card, row.here)
    end
    series[i + 1] = points(i, card[2], rows, "card", "here", {})
    series[i + 1].size = 16
  end
  for power = -2, 6 do
    for _, step in ipairs { 1, 2, 5 } do
      local tick = step * 10.0 ^ power
      if tick >= range[1] and tick <= range[2] then ticks[#ticks + 1] = tick end
    end
  end
  local function axis(title)
    return { title = title, range = range, log = true, ticks = ticks }
  end
  return { title = "Times of cases, warploom and cards",
    panels = { { series = series, height = 500, columns = 4,
      x = axis "card, us", y = axis "warploom, us" } } }
end

------------------------------------------------------------------------------

-- What each figure is made of, in the order of the page.
local names = { "chase", "micro", "sl1", "dram", "cycles", "misses",
                "network" }
local data = { silicon = { "h100_sxm", "h100_pcie", "h200" } }

local function is_there(name)
  for _, part in ipairs(data[name] or { name }) do
    local there = io.open(("%s/%s.csv"):format(folder, part))
    if not there then return false end
    there:close()
  end
  return true
end

if arg[1] == "--list" then
  print(table.concat(names, "\n"))
  return
end
folder = arg[1] or chart.root .. "/docs/validation"
local out = arg[2] or folder
local wanted = table.move(arg, 3, #arg, 1, {})
if #wanted == 0 then
  for _, name in ipairs { "silicon", table.unpack(names) } do
    if is_there(name) then wanted[#wanted + 1] = name end
  end
end
local library, missing = chart.library()
if not library then
  print("SKIPPED: figures are not drawn here: " .. missing)
  os.exit(77)
end
for _, name in ipairs(wanted) do
  chart.draw(figures[name](), ("%s/%s.svg"):format(out, name))
  print(("%s/%s.svg"):format(out, name))
end
