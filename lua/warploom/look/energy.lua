-- `warploom energy`: where the joules of results files went.
--
-- A run with an energy model has statistics "energy", "energy_<event>" and
-- "power" in the group of every part that takes any (stats/energy.h).  Here
-- they are put together: by component, by event, by kernel, and as one
-- stacked bar for each.

local import = ...
local results = import "look/results"
local figures = import "look/figures"
local merged = import "look/merged"
local records = import "base/records"
local text = import "base/text"

local M = {}

-- The parts of a file that take energy: { name =, stat = } in its order.
function M.parts(file)
  local out = {}
  for _, stat in ipairs(file:stats()) do
    local name = stat.name:match("^(.*)%.energy$")
    if name and stat.unit == "J" then
      out[#out + 1] = { name = name, stat = stat }
    end
  end
  return out
end

function M.has(file) return #M.parts(file) > 0 end

local function check(file)
  merged.refuse_any({ file }, "warploom energy takes files of single runs; " ..
                    "warploom plot FILE gpu.sm.energy draws one of its columns")
  if not M.has(file) then
    results.refuse("'%s' has no energies; give loom.run { energy = " ..
                   "loom.energy {} }", file.path)
  end
end

-- Joules of all parts between two snapshots.
function M.total(file, sample, from)
  local sum = 0
  for _, part in ipairs(M.parts(file)) do
    sum = sum + file:total(part.stat, sample, from)
  end
  return sum
end

local function seconds(file, sample, from)
  local samples = file:samples()
  return samples[sample].time - (from and from > 0 and samples[from].time or 0)
end

-- Stacked bars of all parts, for each run or each kernel of one.
function M.figure(files, names, options)
  local request = { files = files, names = names, picks = {}, kind = "stack" }
  for key, value in next, options or {} do request[key] = value end
  local seen = {}
  for _, file in ipairs(files) do
    for _, part in ipairs(M.parts(file)) do
      if not seen[part.name] then
        seen[part.name] = true
        request.picks[#request.picks + 1] = { stat = part.stat }
      end
    end
  end
  request.title = request.title or "Energy"
  return figures.make(request)
end

------------------------------------------------------------------------------
-- Tables

local function si(value, unit)
  local prefixes = { { 1, "" }, { 1e-3, "m" }, { 1e-6, "u" }, { 1e-9, "n" },
                     { 1e-12, "p" } }
  for _, p in ipairs(prefixes) do
    if value >= p[1] then
      return ("%.4g %s%s"):format(value / p[1], p[2], unit)
    end
  end
  return ("%.4g %s"):format(value, unit)
end

local function percent(value, of)
  return of > 0 and ("%.1f %%"):format(100 * value / of) or "-"
end

-- Energies of a part by event, the largest first.
local function events_of(file, part, sample)
  local out, prefix = {}, part.name .. ".energy_"
  for _, stat in ipairs(file:stats()) do
    local event = stat.name:sub(1, #prefix) == prefix and
                  stat.name:sub(#prefix + 1)
    if event and not event:find("%.") then
      out[#out + 1] = { event = event, stat = stat,
                        value = file:total(stat, sample) }
    end
  end
  table.sort(out, function(a, b)
    if a.value ~= b.value then return a.value > b.value end
    return a.event < b.event
  end)
  return out
end

local right = { [2] = true, [3] = true, [4] = true }

local function put(out, rows)
  for _, line in ipairs(text.columns(rows, right, "  ")) do
    out[#out + 1] = line
  end
end

local function component_rows(file, sample, all)
  local total, time = M.total(file, sample), seconds(file, sample)
  local rows = { { "part", "energy", "power", "share", "most of it" } }
  for _, part in ipairs(M.parts(file)) do
    local joules = file:total(part.stat, sample)
    local events = events_of(file, part, sample)
    if joules > 0 or all then
      local most = events[1]
      rows[#rows + 1] = { part.name, si(joules, "J"),
        si(time > 0 and joules / time or 0, "W"), percent(joules, total),
        all and "" or most and ("%s %s"):format(most.event,
                                                percent(most.value, joules)) }
    end
    for _, e in ipairs(all and events or {}) do
      rows[#rows + 1] = { "  " .. e.event, si(e.value, "J"),
        si(time > 0 and e.value / time or 0, "W"), percent(e.value, total),
        e.stat.doc }
    end
  end
  rows[#rows + 1] = { "all", si(total, "J"),
                      si(time > 0 and total / time or 0, "W"), "100.0 %", "" }
  return rows, total, time
end

local function kernel_rows(file)
  local rows = { { "kernel", "energy", "power", "time", "energy x delay" } }
  for i, kernel in ipairs(file:kernels()) do
    if kernel.end_ > 0 then
      local joules = M.total(file, kernel.end_, kernel.begin)
      local time = seconds(file, kernel.end_, kernel.begin)
      rows[#rows + 1] = { ("%d %s"):format(i - 1, kernel.name),
        si(joules, "J"), si(time > 0 and joules / time or 0, "W"),
        si(time, "s"), si(joules * time, "Js") }
    end
  end
  return rows
end

local function tell(file, options)
  check(file)
  local out = {}
  local sample = file:sample(options.sample)
  local group = file.browser:attributes "/energy" or {}
  out[#out + 1] = ("%s: %s on %s"):format(file.path,
    file.attributes.workload or "?", file.attributes.machine or "?")
  if group.model then out[#out + 1] = "  " .. group.model end
  local rows, total, time = component_rows(file, sample, options.all)
  put(out, rows)
  out[#out + 1] = ("  energy x delay  %s in %s"):format(si(total * time, "Js"),
                                                        si(time, "s"))
  local kernels = kernel_rows(file)
  if #kernels > 1 then
    out[#out + 1] = ""
    put(out, kernels)
  end
  return out
end

local head = { "run", "kernel", "part", "event", "joules" }

-- Rows of a file, after those of others.
local function add_rows(out, file, name)
  local function lines(label, sample, from)
    for _, part in ipairs(M.parts(file)) do
      local list = events_of(file, part, sample)
      table.sort(list, function(a, b) return a.event < b.event end)
      for _, e in ipairs(list) do
        out[#out + 1] = { name, label, part.name, e.event,
                          file:total(e.stat, sample, from) }
      end
    end
  end
  for i, kernel in ipairs(file:kernels()) do
    if kernel.end_ > 0 then
      lines(("%d %s"):format(i - 1, kernel.name), kernel.end_, kernel.begin)
    end
  end
  lines("all", file:sample())
end

-- Exit status, or nil and why the command line is wrong.
function M.main(words, options)
  local plot = import "look/plot"
  local paths, patterns = plot.sort(words)
  if #paths == 0 or #patterns > 0 then
    return nil, #patterns > 0 and
      ("energy takes results files; '%s' is none"):format(patterns[1]) or
      "energy needs a results file"
  end
  return results.show(function()
    local out, rows = {}, (options.csv or options.json) and {}
    local files = plot.open(paths)
    local names = plot.names(files)
    for i, file in ipairs(files) do
      check(file)
      if rows then
        add_rows(rows, file, names[i])
      else
        if #out > 0 then out[#out + 1] = "" end
        local lines = tell(file, options)
        table.move(lines, 1, #lines, #out + 1, out)
      end
    end
    if rows then
      out[1] = records.text(head, rows, options.json):gsub("\n$", "")
    end
    if options.out then
      local by = options.by or (#files == 1 and #files[1]:kernels() > 1 and
                                "kernel" or "run")
      plot.put_too(M.figure(files, names, plot.style(options, { by = by,
        share = options.share, normalise = options.normalise })), options, out)
    end
    return out
  end)
end

return M
