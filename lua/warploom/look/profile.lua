-- warploom profile: what each instruction's warps waited for, and where loads
-- spent their time, of a run that was recorded with --profile.

local import = ...
local results = import "look/results"
local kernels = import "look/kernels"
local records = import "base/records"
local text = import "base/text"
local suggest = import "base/suggest"

local M = {}

-- What warps waited for, as a sentence has it.
M.waits = {
  issued = "issued", turn = "another warp had the slot",
  unit = "a unit was busy", ldst = "the load/store unit was full",
  l1 = "data from the L1",
  merged = "a line that was on its way", l2 = "data from the L2",
  dram = "data from DRAM", memory = "data from memory",
  shared = "shared memory", on_chip = "constants or textures",
  sfu = "the special-function unit", tensor = "the tensor unit",
  arithmetic = "a result", atomic = "an atomic", membar = "its own accesses",
  barrier = "a barrier", fetch = "instruction fetch",
  drain = "what was outstanding at its end" }

local accesses = { load = true, store = true, atomic = true }

-- Those that are of a register, which another instruction writes.
local of_register = { l1 = true, merged = true, l2 = true, dram = true,
                      memory = true, shared = true, on_chip = true, sfu = true,
                      tensor = true, arithmetic = true }

function M.has(file) return file:has "/profile/warp_cycles" end

-- A matrix of the file as rows of { label -> number }, and its labels.
local function along(file, name, count)
  local item = file.by_path["/profile/" .. name]
  if not item or #item.dims ~= 2 or item.dims[1] ~= count then
    results.refuse("'%s' is damaged: /profile/%s is no table", file.path, name)
  end
  local labels = file:labels(file:axes(item)[2])
  local values, rows, width = file:values(item.path), {}, item.dims[2]
  for r = 1, count do
    rows[r] = {}
    for i = 1, width do
      rows[r][labels[i]] = values[(r - 1) * width + i]
    end
  end
  return rows, labels
end

-- Rows of a kernel, or of all: { kernel =, pc =, .., warp_cycles = { reason ->
-- cycles }, latency_at = { place -> cycles }, why = warp_cycles with the
-- load/store unit apart, blame = cycles of warps that it is the cause of }.
-- And the labels of tables.
function M.rows(file, wanted)
  local names = file:list("/profile/kernel", "string")
  local columns, matrices, labels = {}, {}, {}
  for _, name in ipairs { "text", "op" } do
    columns[name] = file:list("/profile/" .. name, "string", #names)
  end
  for _, name in ipairs { "kernel_number", "pc", "line", "issues", "lanes",
                          "held_cycles", "accesses", "completed",
                          "latency" } do
    columns[name] = file:list("/profile/" .. name, "number", #names)
  end
  for _, name in ipairs { "warp_cycles", "l1_accesses", "latency_at" } do
    matrices[name], labels[name] = along(file, name, #names)
  end
  local rows = {}
  for i, name in ipairs(names) do
    local plain = kernels.plain(name)
    if not wanted or wanted == plain or wanted == name then
      local row = { kernel = plain }
      for key, column in next, columns do row[key] = column[i] end
      for key, matrix in next, matrices do row[key] = matrix[i] end
      row.blame, row.cycles, row.why = row.held_cycles, 0, {}
      for reason, cycles in next, row.warp_cycles do
        row.cycles = row.cycles + cycles
        row.why[reason == "unit" and accesses[row.op] and "ldst" or
                reason] = cycles
        if not of_register[reason] then row.blame = row.blame + cycles end
      end
      rows[#rows + 1] = row
    end
  end
  return rows, labels
end

-- Entries of { label -> number }, the largest first: { label, number, share }.
local function sorted(values, all)
  local out = {}
  for label, value in next, values do
    out[#out + 1] = { label, value, all > 0 and value / all or 0 }
  end
  table.sort(out, function(a, b)
    if a[2] ~= b[2] then return a[2] > b[2] end
    return a[1] < b[1]
  end)
  return out
end

-- The sums of a matrix over rows.
local function sums(rows, name)
  local out, all = {}, 0
  for _, row in ipairs(rows) do
    for label, value in next, row[name] do
      out[label], all = (out[label] or 0) + value, all + value
    end
  end
  return out, all
end

local function percent(x) return ("%.0f %%"):format(100 * x) end

local function list(entries, words, least, most)
  local out = {}
  for _, one in ipairs(entries) do
    if one[3] >= least and #out < most then
      out[#out + 1] = ("%s %s"):format(percent(one[3]),
                                       words and words[one[1]] or one[1])
    end
  end
  return table.concat(out, ", ")
end

local function plain(instruction)
  return (instruction:gsub("%s+", " "):gsub(";$", ""))
end

-- Loads that go to the caches.
local function loads_of(rows)
  local loads = {}
  for _, row in ipairs(rows) do
    if row.op == "load" and row.accesses > 0 and row.completed > 0 then
      loads[#loads + 1] = row
    end
  end
  return loads
end

local function where(row)
  return row.line > 0 and (", line %d"):format(row.line) or
         (", PC 0x%x"):format(row.pc)
end

-- Lines that explain adds, of some kernel's rows.
function M.findings(file, name)
  local rows = M.rows(file, name)
  local waits, all = sums(rows, "why")
  local out = {}
  if all == 0 then return out end
  out[1] = { "cycles", "of all warps: " .. list(sorted(waits, all), M.waits,
                                                0.05, 5) }
  local loads = loads_of(rows)
  local places, time = sums(loads, "latency_at")
  local count = 0
  for _, row in ipairs(loads) do count = count + row.completed end
  if count > 0 then
    out[2] = { "a load", ("takes %.0f cycles: %s"):format(time / count,
      list(sorted(places, time), nil, 0.05, 5)) }
  end
  table.sort(rows, function(a, b)
    if a.blame ~= b.blame then return a.blame > b.blame end
    return a.pc < b.pc
  end)
  for i = 1, math.min(3, #rows) do
    local row = rows[i]
    if row.blame / all < 0.05 then break end
    local own = {}
    for reason, cycles in next, row.why do
      if not of_register[reason] then own[reason] = cycles end
    end
    if row.held_cycles > 0 then own.held = row.held_cycles end
    out[#out + 1] = { i == 1 and "hottest" or "", ("%s by %s%s: %s"):format(
      percent(row.blame / all), plain(row.text), where(row),
      list(sorted(own, all), setmetatable({ held = "wait for its result" },
           { __index = M.waits }), 0.02, 3)) }
  end
  return out
end

------------------------------------------------------------------------------
-- The command

-- A stacked bar of its latency for each load.
local function figure(file, rows, labels, options)
  local out = { kind = "bars", groups = {}, bars = { "" }, value = {},
                segments = table.move(labels.latency_at, 1,
                                      #labels.latency_at, 1, {}),
                unit = "cycle", x = "load", y = "mean latency [cycle]",
                title = "Where loads spent their time",
                note = "from issue to write-back, of the access that came " ..
                       "last" }
  for _, row in ipairs(loads_of(rows)) do
    local bar, sum = {}, 0
    for i, label in ipairs(labels.latency_at) do
      bar[i] = row.latency_at[label] / row.completed
      sum = sum + bar[i]
    end
    out.groups[#out.groups + 1] = ("%s%s"):format(row.kernel, where(row))
    out.value[#out.value + 1] = { bar }
  end
  if #out.groups == 0 then
    results.refuse("'%s': no load was done", file.path)
  end
  local style = import "look/plot".style(options, {})
  return import "look/shape".finish(out, style)
end

local head = { "kernel", "kernel_number", "pc", "line", "text", "op", "issues",
               "lanes", "accesses", "completed", "latency", "held_cycles" }

-- Everything, a row for each instruction.
local function all_rows(rows, labels, as_json)
  local names, out = table.move(head, 1, #head, 1, {}), {}
  for _, name in ipairs { "warp_cycles", "l1_accesses", "latency_at" } do
    for _, label in ipairs(labels[name]) do
      names[#names + 1] = name .. "." .. label
    end
  end
  for r, row in ipairs(rows) do
    out[r] = {}
    for i, name in ipairs(names) do
      local matrix, label = name:match "^([^.]+)%.(.+)$"
      out[r][i] = matrix and row[matrix][label] or row[name]
    end
  end
  return (records.text(names, out, as_json):gsub("\n$", ""))
end

local function tell(file, rows)
  local _, all = sums(rows, "warp_cycles")
  local lines = { ("%s: %s instructions, %s cycles of warps"):format(file.path,
                  text.thousands(#rows), text.thousands(all)) }
  local shown, last = {}, nil
  for _, row in ipairs(rows) do
    if row.kernel ~= last then
      shown[#shown + 1] = { row.kernel, "", "", "", "", "" }
      last = row.kernel
    end
    local share = all > 0 and row.cycles / all or 0
    shown[#shown + 1] = { "  " .. (row.line > 0 and row.line or
      ("0x%x"):format(row.pc)), percent(share),
      percent(all > 0 and row.blame / all or 0), text.thousands(row.issues),
      plain(row.text), share >= 0.005 and
      list(sorted(row.why, row.cycles), M.waits, 0.1, 2) or "" }
  end
  table.insert(shown, 1, { "line", "before it", "by it", "issues",
                           "instruction", "of the cycles before it" })
  local more = text.columns(shown, { false, true, true, true }, "  ")
  return table.move(more, 1, #more, 2, lines)
end

-- Exit status, or nil and why the command line is wrong.
function M.main(words, options)
  if not words[1] or words[3] then
    return nil, "profile needs a results file, and may have a kernel"
  end
  return results.show_run(words[1], "profile", function(file)
    if not M.has(file) then
      results.refuse("'%s' has no profile: run with --profile", file.path)
    end
    local rows, labels = M.rows(file, words[2])
    if #rows == 0 then
      local names = {}
      for _, row in ipairs(M.rows(file)) do names[#names + 1] = row.kernel end
      results.refuse("'%s' has no kernel '%s'%s", file.path, words[2] or "",
                     suggest.hint(words[2] or "", names))
    end
    local lines = (options.csv or options.json) and
                  { all_rows(rows, labels, options.json) } or tell(file, rows)
    if options.out then
      import "look/plot".put_too(figure(file, rows, labels, options), options,
                                 lines)
    end
    return lines
  end)
end

return M
