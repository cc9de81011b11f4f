-- warploom kernels: the launches of a results file, as a profiler lists them.
--
-- What happened in a launch is what happened between the snapshots around it,
-- if nothing else ran between them.  Where something did, or where there are
-- no such snapshots, numbers are missing, and a line says why.

local import = ...
local results = import "look/results"
local records = import "base/records"
local text = import "base/text"

local M = {}

M.MOST = 20 -- rows after a run
local FULL = 0.6 -- a data bus that is busy for so much of the time is the bound

local unseen = "no snapshot was taken before and after them alone: " ..
               "stats = { snapshot = { \"kernel_end\" } } takes them"
local shared = "other launches ran between the snapshots around them"
local timeless = "nothing was timed"

-- What the entries of issue_slots are put together to.
local bounds = {
  issued = "issue", memory = "memory latency", atomic = "memory latency",
  membar = "memory latency", ldst_full = "load/store unit",
  unit_busy = "execution units", result_bus = "execution units",
  collector = "execution units", scoreboard = "dependencies",
  fetch = "instruction fetch", fetch_miss = "instruction fetch",
  barrier = "barriers", throttled = "throttle", no_warp = "too few warps",
  drain = "too few warps" }

------------------------------------------------------------------------------
-- What a launch has in the file

-- All launches in order, with the columns that every file has.
local function launches_of(file)
  local list = file:kernels()
  local function column(name)
    return file:list("/kernel/" .. name, "number", #list)
  end
  if #list == 0 then return list end
  local columns = {}
  for _, name in ipairs { "id", "grid_x", "grid_y", "grid_z", "block_x",
                          "block_y", "block_z", "registers", "start_tick",
                          "end_tick" } do
    columns[name] = column(name)
  end
  local passed = file:has "/kernel/passed" and column "passed"
  local from = file:has "/kernel/registers_from" and
               file:list("/kernel/registers_from", "string", #list)
  local forms = file:has "/kernel/tensor_form" and
                file:list("/kernel/tensor_form", "string", #list)
  local parts = forms and column "tensor_parts"
  for i, launch in ipairs(list) do
    local function three(name)
      return { columns[name .. "_x"][i], columns[name .. "_y"][i],
               columns[name .. "_z"][i] }
    end
    launch.number, launch.registers = columns.id[i], columns.registers[i]
    launch.grid, launch.block = three "grid", three "block"
    launch.start, launch.stop = columns.start_tick[i], columns.end_tick[i]
    launch.passed = passed and passed[i] ~= 0
    launch.from = from and from[i]
    launch.tensor_form = forms and forms[i]
    launch.tensor_parts = forms and parts[i]
  end
  return list
end

-- The time between the snapshots around each launch, and why nothing can be
-- said of it.  Launches are asked in the order of their starts; `latest` is
-- the last end of those before.
local function find_windows(file, list)
  local ticks = file:has "/stats/tick" and
                file:list("/stats/tick", "number", #file:samples())
  local sorted, latest = table.move(list, 1, #list, 1, {}), 0
  table.sort(sorted, function(a, b)
    if a.start ~= b.start then return a.start < b.start end
    return a.number < b.number
  end)
  for i, launch in ipairs(sorted) do
    local after = sorted[i + 1]
    local from = launch.begin > 0 and ticks and ticks[launch.begin] or 0
    local to = ticks and launch.end_ > 0 and ticks[launch.end_]
    if launch.stop <= launch.start then
      launch.why = timeless
    elseif not to or launch.end_ <= launch.begin or to < launch.stop then
      launch.why = unseen
    elseif latest > from or after and after.start < to then
      launch.why = shared
    end
    launch.window = to and (to - from) * 1e-15
    latest = math.max(latest, launch.stop)
  end
end

-- The sum of a statistic of all these groups; nil where there is none.
local function sum(file, launch, prefixes, name)
  local total
  for _, prefix in ipairs(prefixes) do
    local stat = file:find(prefix .. name)
    if stat then
      total = (total or 0) + file:total(stat, launch.end_, launch.begin)
    end
  end
  return total
end

local function quotient(a, b) return a and b and b > 0 and a / b or nil end

-- Warps on an SM in a cycle with any, as a part of those that it can hold.
local function occupancy(file, parts, launch)
  local resident, room = 0, 0
  for _, prefix in ipairs(parts.sm) do
    local active = file:find(prefix .. "active_cycles")
    local each = active and file:each(active, launch.end_, launch.begin)
    for i, path in ipairs(active and file:instances(active) or {}) do
      local param = parts.params[path] and parts.params[path].warps
      local warps = param and tonumber(param.value)
      if not warps then return nil end
      room = room + each[i] * warps
    end
    resident = resident + (sum(file, launch, { prefix },
                               "resident_warp_cycles") or 0)
  end
  return quotient(resident, room)
end

-- What most of the schedulers' cycles were, while the launch ran: the rest of
-- the window had no warps.
local function issue_bound(file, parts, launch)
  local found, names, all = {}, {}, 0
  for _, prefix in ipairs(parts.sm) do
    local stat = file:find(prefix .. "issue_slots")
    local axis = file:axes(stat.item)[3]
    local labels = axis and file:labels(axis) or {}
    for i, slots in ipairs(file:entries(stat, launch.end_, launch.begin)) do
      local name = bounds[labels[i]] or labels[i] or "issue_slots"
      if not found[name] then names[#names + 1] = name end
      found[name], all = (found[name] or 0) + slots, all + slots
    end
  end
  local ran = all * math.min(launch.seconds / launch.window, 1)
  local idle = found["too few warps"] or 0
  found["too few warps"] = math.max(idle - (all - ran), 0)
  table.sort(names, function(a, b)
    if found[a] ~= found[b] then return found[a] > found[b] end
    return a < b
  end)
  if ran <= 0 or not names[1] then return nil end
  return names[1], found[names[1]] / ran
end

-- Fills in what the snapshots around a launch say.
local function measure(file, parts, launch)
  if launch.why then return end
  local started = sum(file, launch, parts.gpu, "kernels")
  if started and started ~= 1 and not file.attributes.estimates then
    launch.why = shared
    return
  end
  local function ratio(prefixes, a, b)
    return quotient(sum(file, launch, prefixes, a),
                    sum(file, launch, prefixes, b))
  end
  launch.ipc = quotient(sum(file, launch, parts.sm, "warp_insts"),
                        sum(file, launch, parts.gpu, "active_cycles"))
  launch.occupancy = occupancy(file, parts, launch)
  launch.l1 = ratio(parts.l1, "hits", "lookups")
  launch.l2 = ratio(parts.l2, "hits", "lookups")
  launch.rate = quotient(sum(file, launch, parts.dram, "bytes"),
                         launch.seconds)
  for _, prefix in ipairs(parts.dram) do -- of several memories the busiest
    local busy = ratio({ prefix }, "busy_cycles", "cycles")
    if busy then
      busy = busy * launch.window / launch.seconds
      launch.busy = math.max(launch.busy or 0, busy)
    end
  end
  if launch.busy and launch.busy >= FULL then
    launch.bound, launch.part = "DRAM bandwidth", launch.busy
  elseif #parts.sm > 0 then
    launch.bound, launch.part = issue_bound(file, parts, launch)
  end
end

-- Groups of statistics, whatever the machine's parts are called; caches by the
-- names that presets give them.
local function parts_of(file)
  local parts = { l1 = {}, l2 = {}, params = file:params(),
                  sm = file:groups_with("issue_slots", "resident_warp_cycles"),
                  gpu = file:groups_with("full_cycles", "active_cycles"),
                  dram = file:groups_with("busy_cycles", "row_hit_ratio") }
  for _, prefix in ipairs(file:groups_with("hits", "lookups", "misses")) do
    local name = ("." .. prefix):match("([^.]+)%.$")
    if name == "l1d" or name == "l1" then table.insert(parts.l1, prefix) end
    if name == "l2" then table.insert(parts.l2, prefix) end
  end
  return parts
end

-- Launches of a file, as `order` says ("time" or "launch"), and how many there
-- are; only the first `most` of them, if that is given.
local function measured(file, order, most)
  local list, all = launches_of(file), 0
  find_windows(file, list)
  for _, launch in ipairs(list) do all = all + launch.seconds end
  for _, launch in ipairs(list) do
    launch.share = quotient(launch.seconds, all)
  end
  if order ~= "launch" then
    table.sort(list, function(a, b)
      if a.seconds ~= b.seconds then return a.seconds > b.seconds end
      return a.number < b.number
    end)
  end
  local count, parts = #list, parts_of(file)
  for i = (most or count) + 1, count do list[i] = nil end
  for _, launch in ipairs(list) do measure(file, parts, launch) end
  return list, count, all
end

M.launches_of, M.find_windows = launches_of, find_windows
M.parts_of, M.sum, M.occupancy = parts_of, sum, occupancy

------------------------------------------------------------------------------
-- How it is shown

-- A C++ name without its types: _Z4scalPfi is scal, _ZN2a3runIfEEvv a::run<>.
local function plain(name)
  local rest, parts = name:match("^_ZN(.*)$"), {}
  local nested = rest ~= nil
  rest = rest or name:match("^_Z(%d.*)$") or ""
  repeat
    local length, from = rest:match("^(%d+)()")
    local part = length and rest:sub(from, from + math.min(#rest,
                                     tonumber(length)) - 1)
    if not part or #part == 0 then break end
    parts[#parts + 1] = part
    rest = rest:sub(from + #part)
  until not nested
  if #parts == 0 then return name end
  return table.concat(parts, "::") .. (rest:find("^I") and "<>" or "")
end

local function sizes(three)
  local out = table.move(three, 1, 3, 1, {})
  while #out > 1 and out[#out] == 1 do out[#out] = nil end
  return table.concat(out, "x")
end

local function duration(seconds)
  for _, unit in ipairs { { 1, "s" }, { 1e-3, "ms" }, { 1e-6, "us" } } do
    if seconds >= unit[1] then
      return ("%.4g %s"):format(seconds / unit[1], unit[2])
    end
  end
  return ("%.4g ns"):format(seconds * 1e9)
end

local function shown(value, form, factor)
  return value and form:format(value * (factor or 1)) or "-"
end

local heads = { "#", "kernel", "grid", "block", "time", "share", "registers",
                "occupancy", "IPC", "L1 hits", "L2 hits", "DRAM", "of peak",
                "bound by" }
local right = {}
for i = 1, 13 do right[i] = i ~= 2 end

local function row_of(launch)
  local percent = "%.1f %%"
  return { launch.number, plain(launch.name), sizes(launch.grid),
           sizes(launch.block),
           launch.why ~= timeless and duration(launch.seconds) or "-",
           shown(launch.share, percent, 100), launch.registers,
           shown(launch.occupancy, percent, 100), shown(launch.ipc, "%.3f"),
           shown(launch.l1, percent, 100), shown(launch.l2, percent, 100),
           shown(launch.rate, "%.2f GB/s", 1e-9),
           shown(launch.busy, percent, 100),
           launch.bound and ("%s, %.0f %%"):format(launch.bound,
                                                   100 * launch.part) or "-" }
end

local function counted(count, what, others)
  return count == 1 and "1 launch " .. what or
         ("%s launches %s"):format(text.thousands(count), others)
end

-- Why there are numbers missing: a line for each reason.
local function reasons(list)
  local lines, count, columns = {}, {}, {}
  for _, launch in ipairs(list) do
    if launch.why then
      if not count[launch.why] then lines[#lines + 1] = launch.why end
      count[launch.why] = (count[launch.why] or 0) + 1
    else
      for _, column in ipairs { "occupancy", "ipc", "l1", "l2", "rate" } do
        if not launch[column] then columns[column] = true end
      end
    end
  end
  for i, why in ipairs(lines) do
    lines[i] = ("-: of %s: %s"):format(counted(count[why], "that is listed",
                                               "that are listed"), why)
  end
  for _, why in ipairs {
    { "occupancy", "occupancy: no SM that says how many warps it holds" },
    { "ipc", "IPC: no GPU that counts its cycles" },
    { "l1", "L1 hits: nothing looked at a cache called l1d or l1" },
    { "l2", "L2 hits: nothing looked at a cache called l2" },
    { "rate", "DRAM: the machine has none" } } do
    if columns[why[1]] then lines[#lines + 1] = "-: " .. why[2] end
  end
  return lines
end

local function table_lines(list)
  local rows = { heads }
  for _, launch in ipairs(list) do rows[#rows + 1] = row_of(launch) end
  local lines = text.columns(rows, right, "  ")
  for _, line in ipairs(reasons(list)) do lines[#lines + 1] = "  " .. line end
  return lines
end

-- What is true of all numbers of the file.
local function remarks(file, list)
  local lines, passed, from = {}, 0, {}
  for _, launch in ipairs(list) do
    if launch.passed then passed = passed + 1 end
    if launch.from and not from[launch.from] then
      from[launch.from] = true
      from[#from + 1] = launch.from:gsub("^sm_", "machine code for sm_")
    end
  end
  if #from > 0 then
    lines[#lines + 1] = "  registers are counted in " ..
                        table.concat(from, ", ")
  end
  if file.attributes.estimates then
    local of = counted(passed, "that is listed the time is that of others",
                       "that are listed times are those of others")
    lines[#lines + 1] = "  a sampled run: numbers are estimates" ..
                        (passed > 0 and "; of " .. of or "")
  end
  if type(file.attributes.timed) == "string" then
    lines[#lines + 1] = "  of some launches only: " .. file.attributes.timed
  end
  return lines
end

local function tell(file, order, most)
  local list, count, seconds = measured(file, order, most)
  local lines = { ("%s: %s, %s %s, %s in all"):format(file.path,
    file.attributes.status or "?", text.thousands(count),
    count == 1 and "launch" or "launches", duration(seconds)) }
  local function add(more) table.move(more, 1, #more, #lines + 1, lines) end
  add(remarks(file, list))
  if count > 0 then add(table_lines(list)) end
  if #list < count then
    lines[#lines + 1] = ("  %s shorter; warploom kernels %s lists all"):format(
      counted(count - #list, "is", "are"), file.path)
  end
  return lines
end

local head = { "launch", "kernel", "grid_x", "grid_y", "grid_z", "block_x",
               "block_y", "block_z", "seconds", "share", "registers",
               "registers_from", "occupancy", "ipc", "l1_hit_ratio",
               "l2_hit_ratio", "dram_bytes_per_second", "dram_busy",
               "bound_by", "bound_share", "missing" }

local function rows_of(file, order)
  local rows = {}
  for i, l in ipairs((measured(file, order))) do
    rows[i] = { l.number, l.name, l.grid[1], l.grid[2], l.grid[3], l.block[1],
      l.block[2], l.block[3], l.why ~= timeless and l.seconds or nil, l.share,
      l.registers, l.from or nil, l.occupancy, l.ipc, l.l1, l.l2, l.rate,
      l.busy, l.bound, l.part, l.why }
  end
  return rows
end

-- Launches of a run that timed nothing and has no file.
local function untimed_lines(run)
  local list = {}
  for i, kernel in ipairs(run.kernels) do
    if i > M.MOST then break end
    list[i] = { number = kernel.id, name = kernel.name, grid = kernel.grid,
                block = kernel.block, registers = kernel.registers,
                why = timeless }
  end
  local lines = table_lines(list)
  if #run.kernels > #list then
    lines[#lines + 1] = ("  %s not listed"):format(
      counted(#run.kernels - #list, "is", "are"))
  end
  return lines
end

-- After a run of a CUDA program.
function M.after(run)
  if #run.kernels == 0 then return end
  local lines, why
  if run.file then
    local file
    file, why = results.open(run.file)
    if file then
      lines, why = results.guard(tell, file, "time", M.MOST)
      file:close()
    end
  elseif run.functional then
    lines = untimed_lines(run)
  end
  if why then io.stderr:write("warploom: ", why, "\n") end
  if lines then io.stdout:write(table.concat(lines, "\n"), "\n") end
end

M.plain, M.duration, M.sizes = plain, duration, sizes

-- Exit status, or nil and why the command line is wrong.
function M.main(words, options)
  if #words ~= 1 then return nil, "kernels needs a results file" end
  local order = options.by or "time"
  if order ~= "time" and order ~= "launch" then
    return nil, ("--by is '%s', expected time or launch"):format(order)
  end
  return results.show_run(words[1], "kernels", function(file)
    if options.csv or options.json then
      local rows = rows_of(file, order)
      return { (records.text(head, rows, options.json):gsub("\n$", "")) }
    end
    return tell(file, order)
  end)
end

return M
