-- warploom report: one HTML file about one or several results files.

local import = ...
local results = import "look/results"
local figures = import "look/figures"
local shape = import "look/shape"
local merged = import "look/merged"
local diff = import "look/diff"
local page = import "look/page"
local plot = import "look/plot"
local energy = import "look/energy"
local wording = import "look/words"
local text = import "base/text"

local M = {}

local MOST_KERNELS = 40 -- in one figure

------------------------------------------------------------------------------
-- Finding statistics, whatever the machine's parts are called

local function used(file, name) return (file:number(name) or 0) > 0 end

-- Caches that something looked at, those in the SMs first.
local function caches(file)
  local out = {}
  for _, prefix in ipairs(file:groups_with("hits", "misses", "miss_ratio",
                                           "accesses")) do
    if used(file, prefix .. "accesses") then out[#out + 1] = prefix end
  end
  table.sort(out, function(a, b)
    local x, y = select(2, a:gsub("%.", "")), select(2, b:gsub("%.", ""))
    if x ~= y then return x > y end
    return a < b
  end)
  return out
end

local function part_name(prefix)
  return (prefix:match("([^.]+)%.$") or prefix):upper()
end

------------------------------------------------------------------------------
-- Tables

local function ipc(file)
  local samples = file:samples()
  local cycles = samples[#samples] and samples[#samples].cycle
  local sm = file:groups_with("warp_insts", "issue_slots")[1]
  local insts = sm and file:number(sm .. "warp_insts")
  return cycles, insts
end

local function summary_rows(files, names)
  local head = { "run", "workload", "machine", "status", "kernels", "cycles",
                 "time [us]", "warp insts", "IPC" }
  local right = {}
  for i = 5, 9 do right[i] = true end
  local parts, seen = {}, {}
  for _, file in ipairs(files) do
    for _, prefix in ipairs(caches(file)) do
      if not seen[prefix] then
        seen[prefix] = true
        parts[#parts + 1] = { part_name(prefix) .. " miss ratio",
                              prefix .. "miss_ratio", wording.number }
      end
    end
    for _, prefix in ipairs(file:groups_with("bandwidth", "row_hit_ratio")) do
      if not seen[prefix] then
        seen[prefix] = true
        parts[#parts + 1] = { part_name(prefix) .. " GB/s",
                              prefix .. "bandwidth", function(v)
                                return ("%.2f"):format(v / 1e9)
                              end }
        parts[#parts + 1] = { part_name(prefix) .. " row hits",
                              prefix .. "row_hit_ratio", wording.number }
      end
    end
  end
  for _, part in ipairs(parts) do
    head[#head + 1] = part[1]
    right[#head] = true
  end
  local rows = { head }
  for i, file in ipairs(files) do
    local cycles, insts = ipc(file)
    local samples = file:samples()
    local row = { names[i], file.attributes.workload or "",
      file.attributes.machine or "", file.attributes.status or "",
      tostring(#file:kernels()), cycles and text.thousands(cycles) or "",
      ("%.3f"):format(samples[#samples].time * 1e6),
      insts and text.thousands(insts) or "",
      insts and cycles and cycles > 0 and ("%.3f"):format(insts / cycles) or
      "" }
    for _, part in ipairs(parts) do
      local value = file:number(part[2])
      row[#row + 1] = value and (value == value and part[3](value) or "-") or
                      ""
    end
    rows[#rows + 1] = row
  end
  return rows, right
end

-- A few runs stand side by side, many below each other.
local function turned(rows)
  local out = {}
  for i = 1, #rows[1] do
    out[i] = {}
    for k, row in ipairs(rows) do out[i][k] = row[i] end
  end
  return out
end

local function summary(files, names)
  local rows, right = summary_rows(files, names)
  if #files > 4 then return page.table(rows, right) end
  return page.table(turned(rows), { [2] = true, [3] = true, [4] = true,
                                    [5] = true })
end

local function provenance_rows(files, names)
  local rows = { { "run", "file", "created", "version", "commit", "seed",
                   "script", "state digest" } }
  for i, file in ipairs(files) do
    local a, m = file.attributes, file.meta
    rows[#rows + 1] = { names[i], file.path, a.created or "", m.version or
      a.version or "", (m.git_commit or ""):sub(1, 10) ..
      (m.git_dirty == 1 and " (changed)" or ""),
      tostring(m.seed or a.seed or ""), a.experiment or "",
      (a.state_digest or ""):sub(1, 16) }
  end
  return rows
end

------------------------------------------------------------------------------
-- Figures

local Page = {}
Page.__index = Page

function Page:say(...) self.out[#self.out + 1] = table.concat { ... } end

function Page:head(name)
  self.heads[#self.heads + 1] = name
  self:say(('<h2 id="h%d">%s</h2>'):format(#self.heads, page.escape(name)))
end

function Page:figure(figure, title, note)
  if not figure then return end
  if title then figure.title = title end
  if note then figure.note = note end
  self.count = self.count + 1
  self:say(page.figure(figure))
end

-- A figure of some statistics, nil if the file has not all of them.
local function make(files, names, list, options)
  local request = { files = files, names = names, picks = {},
                    colours = names.colours }
  for key, value in next, options or {} do request[key] = value end
  for _, name in ipairs(list) do
    local series, rest = name:match("^([%w_]+):(.+)$")
    local stat = files[1]:find(rest or name, series and "/series/" .. series)
    if not stat then return nil end
    request.picks[#request.picks + 1] = { stat = stat, series = series }
  end
  local figure = results.guard(figures.make, request)
  return figure
end

local outcomes = { "hits", "pending_hits", "misses", "bypasses" }

local function outcome_names(file, prefix)
  local out = {}
  for _, name in ipairs(outcomes) do
    if file:find(prefix .. name) then out[#out + 1] = prefix .. name end
  end
  return out
end

-- One number of each run as a bar.
local function run_bars(names, title, y, value_of, files)
  local figure = { kind = "bars", groups = names, bars = { "" }, unit = "1",
                   segments = { "" }, value = {}, title = title, y = y }
  for i, file in ipairs(files) do
    figure.value[i] = { { value_of(file) or 0 / 0 } }
  end
  return figure
end

local function runs_section(p, files, names)
  p:head("Runs side by side")
  p:figure(run_bars(names, "Warp instructions per cycle", "IPC",
    function(file)
      local cycles, insts = ipc(file)
      return insts and cycles and cycles > 0 and insts / cycles
    end, files))
  p:figure(run_bars(names, "Cycles", "cycles", function(file)
    return (ipc(file))
  end, files))
  for _, prefix in ipairs(caches(files[1])) do
    p:figure(make(files, names, outcome_names(files[1], prefix),
                  { kind = "stack", share = true, by = "run" }),
             part_name(prefix) .. ": outcomes of accesses")
  end
  for _, prefix in ipairs(files[1]:groups_with("issue_slots")) do
    p:figure(make(files, names, { prefix .. "issue_slots" },
                  { kind = "stack", share = true, by = "run" }),
             "What the schedulers' cycles went to")
  end
  for _, prefix in ipairs(files[1]:groups_with("load_latency_hist")) do
    p:figure(make(files, names, { prefix .. "load_latency_hist" },
                  { kind = "cdf" }), "Latency of loads")
  end
end

local function series_section(p, files, names, list)
  local shown = false
  for _, series in ipairs(list) do
    local by_unit, order = {}, {}
    for _, stat in ipairs(files[1]:stats("/series/" .. series)) do
      if #stat.item.dims == 2 then
        if not by_unit[stat.unit] then
          by_unit[stat.unit] = {}
          order[#order + 1] = stat.unit
        end
        if #by_unit[stat.unit] < 8 then
          table.insert(by_unit[stat.unit], series .. ":" .. stat.name)
        end
      end
    end
    for _, unit in ipairs(order) do
      if not shown then p:head("Over time") end
      shown = true
      if #files == 1 then
        p:figure(make(files, names, by_unit[unit], { kind = "line" }))
      else -- one statistic of all runs
        for _, name in ipairs(by_unit[unit]) do
          p:figure(make(files, names, { name }, { kind = "line" }))
        end
      end
    end
  end
end

-- Stacked bars of the energy of all parts, if there is an energy model.
local function energy_section(p, files, names)
  for _, file in ipairs(files) do
    if not energy.has(file) then return end
  end
  p:head("Energy")
  local colours = { colours = names.colours, by = "run" }
  p:figure(results.guard(energy.figure, files, names, colours),
           "Energy of each part")
  if #files == 1 and #files[1]:kernels() > 1 then
    p:figure(results.guard(energy.figure, files, names,
      { colours = names.colours, by = "kernel", most = MOST_KERNELS }),
      "Energy of each part by kernel")
  end
end

local function kernel_section(p, file, names)
  local kernels = file:kernels()
  if #kernels < 2 then return end
  p:head("Kernels")
  if #kernels > MOST_KERNELS then
    p:say(("<p>The %d longest of %d launches.</p>"):format(MOST_KERNELS,
                                                         #kernels))
  end
  local by = { by = "kernel", most = MOST_KERNELS }
  local function with(more)
    local out = { by = by.by, most = by.most }
    for k, v in next, more do out[k] = v end
    return out
  end
  for _, prefix in ipairs(file:groups_with("warp_ipc", "issue_slots")) do
    p:figure(make({ file }, names, { prefix .. "warp_ipc" }, by),
             "Warp instructions per cycle of an SM")
    p:figure(make({ file }, names, { prefix .. "issue_slots" },
                  with { kind = "stack", share = true }),
             "What the schedulers' cycles went to")
  end
  for _, prefix in ipairs(caches(file)) do
    p:figure(make({ file }, names, outcome_names(file, prefix),
                  with { kind = "stack" }),
             part_name(prefix) .. ": outcomes of accesses")
  end
end

-- What became of each scheduler's cycles, over all SMs: the arrays
-- scheduler_<reason>, one for each entry of issue_slots.
local function scheduler_figure(file, prefix, colours)
  local slots = file:find(prefix .. "issue_slots")
  local reasons = file:labels(file:axes(slots.item)[3])
  local figure = { kind = "bars", groups = {}, bars = { "" }, value = {},
                   segments = table.move(reasons, 1, #reasons, 1, {}),
                   x = "scheduler", unit = "cycle", y = "cycle" }
  for s, reason in ipairs(reasons) do
    local stat = file:find(prefix .. "scheduler_" .. reason)
    if not stat then return nil end
    for _, list in ipairs((file:table_of(stat, file:sample()))) do
      for k, cycles in ipairs(list) do
        figure.groups[k] = "scheduler " .. k - 1
        figure.value[k] = figure.value[k] or { {} }
        local bar = figure.value[k][1]
        for i = #bar + 1, s do bar[i] = 0 end
        bar[s] = bar[s] + cycles
      end
    end
  end
  return #figure.groups > 1 and
         shape.finish(figure, { share = true, colours = colours })
end

local function instance_section(p, file, names)
  p:head("Instances and banks")
  for _, prefix in ipairs(file:groups_with("issue_slots")) do
    p:figure(scheduler_figure(file, prefix, names.colours),
             "What the cycles of each scheduler went to", "Over all " ..
             part_name(prefix) .. "s")
    if #file:instances(file:find(prefix .. "issue_slots")) > 1 then
      p:figure(make({ file }, names, { prefix .. "issue_slots" },
                    { kind = "stack", by = "instance" }),
               "Schedulers' cycles of each " .. part_name(prefix))
    end
  end
  for _, prefix in ipairs(file:groups_with("misses", "miss_ratio")) do
    local stat = file:find(prefix .. "miss_ratio")
    if used(file, prefix .. "accesses") and #file:instances(stat) > 1 then
      if #file:kernels() > 1 then
        p:figure(make({ file }, names, { prefix .. "miss_ratio" },
                      { kind = "heat", most = MOST_KERNELS }),
                 part_name(prefix) .. ": miss ratio of each instance")
      else
        p:figure(make({ file }, names, { prefix .. "miss_ratio" },
                      { by = "instance" }),
                 part_name(prefix) .. ": miss ratio of each instance")
      end
    end
  end
  for _, prefix in ipairs(file:groups_with("bank_accesses")) do
    p:figure(make({ file }, names, { prefix .. "bank_accesses" },
                  { kind = "heat" }), part_name(prefix) ..
             ": column commands of each bank")
  end
  local latencies = {}
  for _, prefix in ipairs(file:groups_with("load_latency_hist")) do
    latencies[#latencies + 1] = prefix .. "load_latency_hist"
  end
  for _, prefix in ipairs(file:groups_with("read_latency_hist")) do
    latencies[#latencies + 1] = prefix .. "read_latency_hist"
  end
  if #latencies > 0 then
    p:figure(make({ file }, names, latencies, { kind = "cdf" }),
             "Latencies: loads, and reads of DRAM")
  end
end

-- A merged file: derived columns and metrics over the axes, then statistics.
local function merged_section(p, file)
  local axes, doc = merged.axes(file), file.attributes.long_name
  if doc and doc ~= "" then p:say("<p>", page.escape(doc), "</p>") end
  local rows = { { "axis", "values" } }
  for i, axis in ipairs(axes) do
    rows[i + 1] = { axis.name, table.concat(axis.names, ", ") }
  end
  p:head("Axes")
  p:say(page.table(rows))
  local states, failed = file:has("/points/state") and
                         file:list("/points/state", "string") or {}, 0
  for _, state in ipairs(states) do
    if state ~= "done" then failed = failed + 1 end
  end
  p:say(("<p>%d points%s.</p>"):format(#states, failed > 0 and
        (", %d of them failed or not run"):format(failed) or ""))
  for _, root in ipairs { "derived", "metrics" } do
    local titled = false
    for _, column in ipairs(merged.columns(file)) do
      if column.root == root then
        if not titled then
          p:head(root == "derived" and "Derived" or "Metrics")
        end
        titled = true
        local figure = results.guard(merged.make, {
          files = { file }, patterns = { column.name } })
        p:figure(figure)
      end
    end
  end
  local wanted = { "issue_slots", "miss_ratio", "row_hit_ratio" }
  local titled = false
  for _, column in ipairs(merged.columns(file)) do
    for _, name in ipairs(wanted) do
      if column.root == "stats" and column.name:match("[^.]+$") == name then
        if not titled then p:head("Statistics") end
        titled = true
        p:figure(results.guard(merged.make, { files = { file },
          share = name == "issue_slots", patterns = { column.name } }))
      end
    end
  end
end

------------------------------------------------------------------------------
-- The page

local function settings(p, files, names)
  local rows = diff.params(files)
  if #rows == 0 then
    p:say('<p class="note">All runs have the same parameters.</p>')
    return
  end
  local head = { "parameter" }
  for i, name in ipairs(names) do head[i + 1] = name end
  if #rows > 200 then
    p:say(("<p>The first 200 of %d parameters that differ.</p>"):format(#rows))
    rows = table.move(rows, 1, 200, 1, {})
  end
  table.insert(rows, 1, head)
  p:say(#rows > 12 and "<details>" or "<details open>",
        "<summary>Parameters that differ</summary>",
        page.table(rows), "</details>")
end

local function contents(p)
  local links = {}
  for i, name in ipairs(p.heads) do
    links[i] = ('<a href="#h%d">%s</a>'):format(i, page.escape(name))
  end
  return "<nav>" .. table.concat(links) .. "</nav>"
end

local function check(files)
  for _, file in ipairs(files) do
    if merged.is(file) and #files > 1 then
      results.refuse("'%s' is a merged file: a report shows one of these, " ..
                     "or files of single runs", file.path)
    elseif not merged.is(file) then
      file:sample() -- refuses a file without snapshots
    end
  end
end

local function title_of(files, options)
  local a = files[1].attributes
  if options.title then return options.title end
  if #files > 1 then return ("%d runs"):format(#files) end
  if a.title then return a.title end
  return a.workload and a.machine and a.workload .. " on " .. a.machine or
         a.experiment or files[1].path
end

function M.build(paths, options)
  local files = plot.open(paths)
  check(files)
  local names = plot.names(files)
  names.colours = {} -- of the series on this page; see figures.lua
  local title = title_of(files, options)
  local p = setmetatable({ out = {}, heads = {}, count = 0 }, Page)
  if merged.is(files[1]) then
    merged_section(p, files[1])
  else
    p:head("Summary")
    p:say(summary(files, names))
    if #files > 1 then
      settings(p, files, names)
      runs_section(p, files, names)
    end
    energy_section(p, files, names)
    series_section(p, files, names, files[1]:series())
    if #files == 1 then
      kernel_section(p, files[1], names)
      instance_section(p, files[1], names)
    end
  end
  p:head("Where it comes from")
  p:say(page.table(provenance_rows(files, names)))
  if files[1]:has("/meta/config_lua") and #files == 1 then
    p:say("<details><summary>The machine, as a script</summary><pre>",
          page.escape(tostring(files[1]:values("/meta/config_lua"))),
          "</pre></details>")
  end
  table.insert(p.out, 1, ("<h1>%s</h1>"):format(page.escape(title)) ..
    contents(p) .. page.hint)
  return page.page(title, table.concat(p.out, "\n")), p.count
end

function M.main(words, options)
  local paths, patterns = plot.sort(words)
  if #paths == 0 or #patterns > 0 then
    return nil, #patterns > 0 and
      ("report takes results files; '%s' is none"):format(patterns[1]) or
      "report needs a results file"
  end
  local html, count = results.guard(M.build, paths, options)
  local out = options.out or "report.html"
  local ok, why = html, count
  if html then ok, why = plot.write(out, html) end
  if not ok then
    io.stderr:write("warploom: ", why, "\n")
    return html and 5 or 1
  end
  if not options.quiet and out ~= "-" then
    print(("wrote %s: %d charts, %d kB"):format(out, count, #html // 1000))
  end
  return 0
end

return M
