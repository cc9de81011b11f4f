-- warploom disasm: the static table of a kernel, and recorded streams.

local import = ...
local core = import "core"
local json = import "base/json"
local suggest = import "base/suggest"

local M = {}

-- Bits of a static instruction's flags that are worth a column.
local flag_names = { { 2, "guarded" }, { 4, "returns" }, { 8, "uniform" },
                     { 16, "header" }, { 32, "volatile" } }

local no_param, mixed_param = 255, 254

local function flags_of(row)
  local names = {}
  if row.times == 0 then names[1] = "folded" end
  if row.times and row.times > 1 then names[1] = "x" .. row.times end
  for _, flag in ipairs(flag_names) do
    if row.flags & flag[1] ~= 0 then names[#names + 1] = flag[2] end
  end
  return table.concat(names, " ")
end

local function param_of(kernel, row)
  if not row.param or row.param == no_param then return "" end
  if row.param == mixed_param then return "(mixed)" end
  return kernel.params[row.param] or ("#%d"):format(row.param)
end

local function width_of(row)
  if not row.bytes then return "" end
  return row.vector > 1 and ("%dx%d"):format(row.vector, row.bytes) or
         tostring(row.bytes)
end

-- Rows of strings with aligned columns; numbers are to the right.
local function align(rows, right)
  local width = {}
  for _, row in ipairs(rows) do
    for i, cell in ipairs(row) do
      width[i] = math.max(width[i] or 0, #cell)
    end
  end
  local lines = {}
  for n, row in ipairs(rows) do
    local cells, last = {}, #row
    while last > 0 and row[last] == "" do last = last - 1 end
    for i = 1, last do
      local cell = row[i]
      local pad = (i < last or right[i]) and (" "):rep(width[i] - #cell) or ""
      cells[i] = right[i] and pad .. cell or cell .. pad
    end
    lines[n] = table.concat(cells, "  ")
  end
  return lines
end

local function static_lines(kernel)
  local rows = { { "index", "pc", "line", "op", "space", "bytes", "param",
                   "loop", "def", "use", "text", "" } }
  for _, row in ipairs(kernel.rows) do
    local loop = row.loop and ("%d@%d"):format(row.loop, row.depth) or ""
    rows[#rows + 1] = {
      tostring(row.index), ("%x"):format(row.pc),
      row.line > 0 and tostring(row.line) or "", row.op,
      row.barrier and ("#%d"):format(row.barrier) or row.space or "",
      width_of(row), param_of(kernel, row), loop, row.def, row.use, row.text,
      flags_of(row) }
  end
  return align(rows, { true, true, true, false, false, true })
end

-- Instructions of the machine, where a schedule says them.
local function timed_of(kernel)
  local timed
  for _, row in ipairs(kernel.rows) do
    if row.times then timed = (timed or 0) + row.times end
  end
  return timed and (", %d timed"):format(timed) or ""
end

local function heading(kernel)
  if kernel.refused then return kernel.name .. ": refused" end
  return ("%s: %d instructions%s, %d loops, %d registers, %d shared bytes, " ..
          "%d local bytes"):format(kernel.name, #kernel.rows,
          timed_of(kernel), kernel.loops, kernel.registers,
          kernel.shared_bytes, kernel.local_bytes)
end

local function mask_text(mask)
  return mask == 0xffffffff and "all" or ("%08x"):format(mask)
end

local function address_text(row)
  if not row.mode then return "" end
  if row.mode == "stride" then
    -- The stride is between lanes that are active.
    return ("%x + %d * %s"):format(row.first, row.stride,
                                   row.mask == 0xffffffff and "lane" or "k")
  end
  if row.low == row.high then return ("%x"):format(row.first) end
  return ("%x (%x .. %x, %s)"):format(row.first, row.low, row.high, row.mode)
end

local function stream_lines(kernel, warp)
  local rows = { { "n", "index", "lanes", "text", "addresses" } }
  for n, row in ipairs(warp) do
    rows[#rows + 1] = { tostring(n - 1), tostring(row.index),
                        mask_text(row.mask),
                        kernel.rows[row.index + 1].text, address_text(row) }
  end
  return align(rows, { true, true })
end

local function find(list, name)
  local names = {}
  for _, kernel in ipairs(list) do
    if kernel.name == name then return kernel end
    names[#names + 1] = kernel.name
  end
  return nil, ("there is no kernel '%s'%s"):format(name,
                                                   suggest.hint(name, names))
end

local function write(lines)
  for _, line in ipairs(lines) do io.stdout:write(line, "\n") end
end

local function provenance(recording)
  local totals = recording:totals()
  io.stdout:write(("%d launches, %d kernels, %d warp instructions, %d bytes " ..
    "(%.2f a warp instruction)\n"):format(totals.launches, totals.kernels,
    totals.insts, totals.file_bytes,
    totals.insts > 0 and totals.stream_bytes / totals.insts or 0))
  for _, note in ipairs(recording:notes()) do
    io.stdout:write(("  %s = %s\n"):format(note.name, note.value))
  end
  for _, launch in ipairs(recording:launches()) do
    io.stdout:write(("  launch %d: %s, grid %s, block %s, %d registers, %d " ..
      "shared bytes, stream %d, %d CTAs, %d warp instructions\n"):format(
      launch.id, launch.kernel, table.concat(launch.grid, "x"),
      table.concat(launch.block, "x"), launch.registers, launch.shared_bytes,
      launch.stream, launch.ctas, launch.insts))
  end
end

-- One warp, or all of a CTA.
local function show_stream(recording, kernels, options)
  local launches = recording:launches()
  local launch = launches[options.launch + 1]
  if not launch then
    return nil, ("there is no launch %d; there are %d"):format(options.launch,
                                                               #launches)
  end
  local kernel = kernels[launch.kernel_number + 1]
  local warp, last = options.warp or 0, options.warp
  if options.cta >= launch.grid[1] * launch.grid[2] * launch.grid[3] then
    return nil, ("there is no CTA %d in launch %d, which has %d"):format(
      options.cta, options.launch,
      launch.grid[1] * launch.grid[2] * launch.grid[3])
  end
  local told = {}
  local function finish()
    if options.json then
      print(json.encode(#told > 0 and told or json.empty))
    end
    return true
  end
  while not last or warp <= last do
    local rows, count = recording:warp(options.launch, options.cta, warp,
                                       options.limit)
    if not rows then
      if count then return nil, count end
      if not last then return finish() end
      return nil, ("there is no warp %d in CTA %d"):format(warp, options.cta)
    end
    if options.json then
      for _, row in ipairs(rows) do row.text = kernel.rows[row.index + 1].text
      end
      told[#told + 1] = { launch = options.launch, kernel = launch.kernel,
                          cta = options.cta, warp = warp, count = count,
                          instructions = #rows > 0 and rows or json.empty }
    else
      io.stdout:write(("launch %d (%s), CTA %d, warp %d: %d warp " ..
        "instructions\n"):format(options.launch, launch.kernel, options.cta,
                                 warp, count))
      write(stream_lines(kernel, rows))
      if #rows < count then
        io.stdout:write(("... %d more; see --limit\n"):format(count - #rows))
      end
    end
    warp = warp + 1
  end
  return finish()
end

local function read(path)
  local file, why = io.open(path, "rb")
  if not file then return nil, why end
  local text = file:read("a")
  file:close()
  return text, text == nil and path .. ": is not a file that can be read" or nil
end

-- Kernels for programs, with the columns of the table.
local function encoded(kernels)
  local out = {}
  for i, kernel in ipairs(kernels) do
    local rows = {}
    for k, row in ipairs(kernel.rows) do
      rows[k] = { index = row.index, pc = row.pc, line = row.line, op = row.op,
                  space = row.space, bytes = row.bytes, vector = row.vector,
                  barrier = row.barrier, param = param_of(kernel, row),
                  loop = row.loop, depth = row.depth, def = row.def,
                  use = row.use, text = row.text, flags = flags_of(row),
                  times = row.times }
    end
    out[i] = { name = kernel.name, refused = kernel.refused,
               loops = kernel.loops, registers = kernel.registers,
               shared_bytes = kernel.shared_bytes,
               local_bytes = kernel.local_bytes,
               instructions = #rows > 0 and rows or json.empty }
  end
  return #out > 0 and out or json.empty
end

local function show_tables(kernels, name, as_json)
  if name then
    local kernel, text = find(kernels, name)
    if not kernel then return nil, text end
    kernels = { kernel }
  end
  if as_json then
    print(json.encode(encoded(kernels)))
    return true
  end
  for i, kernel in ipairs(kernels) do
    if i > 1 then io.stdout:write("\n") end
    io.stdout:write(heading(kernel), "\n")
    if kernel.refused then io.stdout:write("  ", kernel.refused, "\n") end
    if #kernel.rows > 0 then write(static_lines(kernel)) end
  end
  return true
end

-- `warploom check FILE.ptx`: which kernels can be executed.  Returns how many
-- cannot, or nil and what is wrong.
function M.check(path, options)
  local text, why = read(path)
  if not text then return nil, why end
  local kernels, problem = core.listing("ptx", path, text)
  if not kernels then return nil, problem end
  local refused, told = 0, {}
  for i, kernel in ipairs(kernels) do
    told[i] = { name = kernel.name, refused = kernel.refused }
    if kernel.refused then
      refused = refused + 1
      io.stderr:write(kernel.refused, "\n")
    end
  end
  if options.json then
    print(json.encode { file = path,
                        kernels = #told > 0 and told or json.empty })
  elseif refused == 0 and not options.quiet then
    print(("%s: ok: %d %s"):format(path, #kernels,
                                   #kernels == 1 and "kernel" or "kernels"))
  elseif refused > 0 then
    io.stderr:write(("%s: %d of %d kernels refused; the others run\n"):format(
                    path, refused, #kernels))
  end
  return refused
end

-- options: scheduled; cta (of --stream), warp, launch, limit.  Returns true, or
-- nil and what is wrong.
function M.run(path, name, options)
  if not path:find("%.wlt$") then
    if options.cta then
      return nil, ("'%s' is not a recording: --stream needs one; see " ..
                   "warploom record"):format(path)
    end
    local text, why = read(path)
    if not text then return nil, why end
    local kernels, problem = core.listing("ptx", path, text,
                                          options.scheduled)
    if not kernels then return nil, problem end
    return show_tables(kernels, name, options.json)
  end
  if options.scheduled then
    return nil, ("'%s' is a recording, whose streams are as they were " ..
                 "recorded: --scheduled needs a .ptx file"):format(path)
  end
  local recording, why = core.recording(path)
  if not recording then return nil, why end
  local kernels = recording:listing()
  if options.cta then
    options.launch = options.launch or 0
    return show_stream(recording, kernels, options)
  end
  if not name and options.json then
    print(json.encode { totals = recording:totals(), notes = recording:notes(),
                        launches = recording:launches(),
                        kernels = encoded(kernels) })
    return true
  elseif not name then
    provenance(recording)
    io.stdout:write("\n")
  end
  return show_tables(kernels, name, options.json)
end

return M
