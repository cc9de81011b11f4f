-- `warploom info`: everything about a type, from the registry.

local import = ...
local core = import "core"
local types = import "machine/types"
local text = import "base/text"
local unit = import "base/unit"
local files = import "script/files"
local json = import "base/json"
local records = import "base/records"

local M = {}

local function range(p)
  if p.choices then return table.concat(p.choices, " | ") end
  if p.type == "boolean" or p.type == "string" then return "" end
  local low = p.min and unit.plain(p.min, p.unit) or ""
  local high = p.max and unit.plain(p.max, p.unit) or ""
  local s = (low ~= "" or high ~= "") and low .. ".." .. high or ""
  if p.power_of_2 then s = s .. (s ~= "" and ", " or "") .. "power of 2" end
  return s
end

local function default(p)
  if p.required then return "(required)" end
  return unit.format(p.default, p.unit)
end

local function port_count(port)
  if port.min == port.max then return tostring(port.min) end
  return ("%d..%d"):format(port.min, port.max)
end

local function stat_doc(s)
  if s.denominator then
    return ("%s (%s / %s)"):format(s.doc, s.numerator, s.denominator)
  elseif s.axis then
    return ("%s (by %s)"):format(s.doc, s.axis)
  end
  return s.doc
end

-- The sections of a type: title, head and rows.
local function sections(type)
  local params = { title = "parameters",
    head = { "name", "type", "unit", "default", "range", "meaning",
             "source" } }
  for i, p in ipairs(type.params) do
    params[i] = { p.name, p.type, p.unit, default(p), range(p), p.doc,
                  p.source or "" }
  end
  local ports = { title = "ports", head = { "name", "role", "protocol",
                                            "links", "meaning" } }
  for i, p in ipairs(type.ports or {}) do
    ports[i] = { p.name, p.role, p.protocol, port_count(p), p.doc }
  end
  local slots = { title = "slots", head = { "name", "hook", "takes",
                  "default", "policies", "meaning" } }
  for i, s in ipairs(type.slots or {}) do
    slots[i] = { s.name, s.hook, s.chain and "a chain" or "one",
                 s.default or "", table.concat(types.answering(s.hook), " "),
                 s.doc }
  end
  local facets = { title = "answers", head = { "hook", "takes", "meaning" } }
  for i, f in ipairs(type.facets or {}) do
    facets[i] = { f.hook, f.chain and "a chain" or "one", f.doc }
  end
  local stats = { title = "statistics", head = { "name", "kind", "unit",
                                                 "meaning" } }
  for i, s in ipairs(type.stats) do
    stats[i] = { s.name, s.kind, s.unit, stat_doc(s) }
  end
  local energies = { title = "energies",
                     head = { "event", "value", "unit", "count", "meaning",
                              "source" } }
  for i, e in ipairs(type.energies or {}) do
    energies[i] = { e.name, ("%.6g"):format(e.value), e.unit, e.count, e.doc,
                    e.source }
  end
  return { params, ports, slots, facets, stats, energies }
end

-- Meaning and source in one cell, for narrow screens.
local function joined(row)
  if #row == 6 then -- an energy event
    local out = table.move(row, 1, 4, 1, {})
    out[5] = ("%s [%s]"):format(row[5], row[6])
    return out
  end
  if #row < 7 then return row end
  local out = table.move(row, 1, 6, 1, {})
  if row[7] ~= "" then out[6] = ("%s [%s]"):format(row[6], row[7]) end
  return out
end

local function print_section(out, section)
  if #section == 0 then return end
  local rows = { section.head }
  for _, row in ipairs(section) do rows[#rows + 1] = joined(row) end
  rows[1] = joined(section.head)
  out[#out + 1] = ""
  out[#out + 1] = section.title
  for _, line in ipairs(text.wrapped(rows, "  ", 110)) do
    out[#out + 1] = line
  end
end

function M.type_lines(type)
  local out = { ("%s (%s): %s"):format(type.name, type.kind, type.doc) }
  for _, section in ipairs(sections(type)) do print_section(out, section) end
  return out
end

local function doc_of(kind, name)
  local found, source, path = pcall(files.find_named, kind, name)
  local doc = found and source and source:match('%f[%w]doc%s*=%s*"([^"]*)"')
  return doc or path or source or ""
end

local function list(out, title, rows)
  if #rows == 0 then return end
  out[#out + 1] = out[1] and "" or nil
  out[#out + 1] = title
  for _, line in ipairs(text.columns(rows, nil, "  ")) do
    out[#out + 1] = line
  end
end

local function wire_rows(description)
  local rows = { title = "links, in cycles of the receiver's clock and " ..
                         "messages",
                 head = { "link", "direction", "latency", "credit",
                          "capacity" } }
  local wires = import "machine/builder".wires(description)
  local names = {}
  for name in next, wires do names[#names + 1] = name end
  table.sort(names)
  for _, name in ipairs(names) do
    for _, side in ipairs { "request", "reply" } do
      local w = wires[name][side]
      rows[#rows + 1] = { name, side, tostring(w.latency),
                          tostring(w.credit), tostring(w.capacity) }
    end
  end
  return rows
end

-- Sections of a preset that is made of tables: its numbers, its links.
local function machine_sections(description)
  if not description then return {} end
  local rows = import "machine/builder".rows(description)
  rows.title = "numbers"
  rows.head = { "part", "parameter", "value", "source" }
  return { rows, wire_rows(description) }
end

-- A preset or a suite file, loaded; nil if there is none.
local function load_named(name)
  local session = import "script/session"
  local preset = import "machine/preset"
  session.reset { script = "info", load = session.load }
  import "policy/plugin".load_given() -- a session has types of its own
  local env
  local loom = import "init".new(function() return env end)
  env = import "script/sandbox".environment(loom)
  for _, kind in ipairs { "presets", "suite" } do
    local found, why = pcall(files.find_named, kind, name)
    if not found then session.stop("config", why) end
    local made = preset.load_file(kind, name, env)
    if made then return made, kind, preset, env end
  end
end

-- describe(made, kind, preset, env) of the file `name`; nil if there is none,
-- and what is wrong with one that somebody wrote.
local function described(name, describe)
  local session = import "script/session"
  local ok, out = xpcall(function()
    local made, kind, preset, env = load_named(name)
    return made and describe(made, kind, preset, env)
  end, import "script/script".handler)
  if ok and #session.problems == 0 then return out end
  local lines = session.lines(session.problems)
  if not ok and out.text then lines[#lines + 1] = out.text end
  for _, source in ipairs(session.source_names) do
    if not core.source(source) then
      return nil, ("'%s' (%s) cannot be described: %s"):format(name, source,
                                               table.concat(lines, "\n"))
    end
  end
  if not ok and out.kind == "error" then error(out.text .. out.trace, 0) end
  return nil, table.concat(lines, "\n")
end

-- The sizes of a workload.
local function size_rows(workload)
  local rows = { title = "sizes", head = { "size", "parameters" } }
  for i, size in ipairs(import "suite/suite".size_names(workload)) do
    rows[i] = { size, import "suite/command".sizes_text(workload, size) }
  end
  return rows
end

-- What a preset or a workload says of itself; nil if there is none, or nil and
-- why it cannot.
function M.script_lines(name)
  return described(name, function(made, kind, preset, env)
    local out = { ("%s (%s): %s"):format(name, kind == "suite" and
                  "workload" or "preset", made.doc or "") }
    local rows = { title = "parameters",
                   head = { "name", "default", "range", "meaning" } }
    local params = kind == "suite" and import "suite/suite".params(made) or
                   preset.params(made, env)
    for i, p in ipairs(params or {}) do
      rows[i] = { p.name, unit.format(p.default, p.unit or "1"), range(p),
                  p.doc or "" }
    end
    print_section(out, rows)
    if kind == "suite" then print_section(out, size_rows(made)) end
    for _, section in ipairs(machine_sections(preset.description(made, env)))
    do
      print_section(out, section)
    end
    return out
  end)
end

-- Names of the types that have something of that name, and what it is.
local function types_with(last, group, what)
  local names, seen = {}, {}
  for _, all in ipairs { types.component_list, types.policy_list } do
    for _, type in ipairs(all) do
      for _, item in ipairs(type[group] or {}) do
        if item.name == last and not seen[type.name] then
          seen[type.name] = true
          names[#names + 1] = type.name
        end
      end
    end
  end
  return names, what
end

local function scripts_with(last)
  local names = {}
  for _, kind in ipairs { "presets", "suite" } do
    for _, name in ipairs(files.names(kind)) do
      local params = described(name, function(made, of, preset, env)
        return of == "suite" and import "suite/suite".params(made) or
               preset.params(made, env)
      end) or {}
      for _, p in ipairs(params) do
        if p.name == last then names[#names + 1] = name end
      end
    end
  end
  return names, "a parameter"
end

local MOST_NAMES = 4

-- Who has a parameter, statistic, port, slot or energy of that name, or of a
-- path's last part, and the first of them; nil if nobody has.
local function owners(name)
  local last, parts, first = name:match("[^./:]+$"), {}, nil
  local function note(names, what)
    local n = #names
    if n == 0 then return end
    local some = table.concat(names, ", ", 1, math.min(n, MOST_NAMES))
    local more = n > MOST_NAMES and (" and %d more"):format(n - MOST_NAMES)
    parts[#parts + 1] = ("%s of %s%s"):format(what, some, more or "")
    first = first or names[1]
  end
  if not last then return nil end
  for _, one in ipairs { { "params", "a parameter" },
                         { "stats", "a statistic" }, { "ports", "a port" },
                         { "slots", "a slot" }, { "energies", "an energy" } } do
    note(types_with(last, table.unpack(one)))
  end
  note(scripts_with(last))
  return first and ("'%s' is %s"):format(last, table.concat(parts, " and ")),
         first
end

-- What helps who asks for a name that no type has.
function M.unknown(name)
  local who, first = owners(name)
  local best = not who and
               import "base/suggest".nearest(name, types.all_names())
  return ("there is no type '%s'; %s"):format(name,
    who and ("%s; see warploom info %s"):format(who, first) or
    best and ("did you mean '%s'?"):format(best) or "see warploom info")
end

-- A preset's tables as Markdown; nil if it has none, or nil and why it cannot.
function M.preset_markdown(name)
  return described(name, function(made, _, preset, env)
    local description = preset.description(made, env)
    local out = {}
    for _, section in ipairs(machine_sections(description)) do
      M.markdown_section(out, section)
    end
    return description and out
  end)
end

-- A component or policy as a JSON value.
local function value_of(type)
  local value = { name = type.name, doc = type.doc }
  for _, section in ipairs(sections(type)) do
    value[section.title] = records.list(section.head, section)
  end
  return value
end

-- All components and policies, or those that are named, as JSON; nil if a name
-- is none of them.
function M.json(names)
  local found, value = 0, {}
  for _, part in ipairs { { "components", types.component_list },
                          { "policies", types.policy_list } } do
    local all = {}
    for _, type in ipairs(part[2]) do
      local wanted = #names == 0
      for _, name in ipairs(names) do wanted = wanted or name == type.name end
      if wanted then all[#all + 1] = value_of(type) end
    end
    found = found + #all
    value[part[1]] = #all > 0 and all or json.empty
  end
  return found >= #names and json.encode(value) or nil
end

function M.overview()
  local out = {}
  local components, policies, presets, suites = {}, {}, {}, {}
  for i, t in ipairs(types.component_list) do components[i] = { t.name, t.doc }
  end
  for i, t in ipairs(types.policy_list) do
    local hooks = {}
    for k, f in ipairs(t.facets) do hooks[k] = f.hook end
    policies[i] = { t.name, table.concat(hooks, " "), t.doc }
  end
  for i, n in ipairs(files.names("presets")) do
    presets[i] = { n, doc_of("presets", n) }
  end
  for i, n in ipairs(files.names("suite")) do
    suites[i] = { n, doc_of("suite", n) }
  end
  list(out, "components", components)
  list(out, "policies", policies)
  list(out, "presets", presets)
  list(out, "workloads", suites)
  out[#out + 1] = ""
  out[#out + 1] = "warploom info NAME tells all about one"
  return out
end

------------------------------------------------------------------------------
-- Markdown

local heads = { parameters = "name", ports = "port", slots = "slot",
                energies = "event" }

local function cell(s)
  return (tostring(s):gsub("|", "\\|"))
end

local function markdown_table(out, section)
  if #section == 0 then return end
  out[#out + 1] = ""
  out[#out + 1] = "| " .. table.concat(section.head, " | ") .. " |"
  out[#out + 1] = "|" .. ("---|"):rep(#section.head)
  for _, row in ipairs(section) do
    local cells = {}
    for i, c in ipairs(row) do cells[i] = cell(c) end
    out[#out + 1] = "| " .. table.concat(cells, " | ") .. " |"
  end
end

function M.markdown_section(out, section)
  if #section == 0 then return end
  out[#out + 1] = ""
  out[#out + 1] = ("**%s**"):format(section.title:gsub("^%l", string.upper))
  markdown_table(out, section)
end

-- What a type is, its tables told apart by the first word of their heads.  What
-- a hook asks stands once, at the end: `hooks` collects them.
local function markdown_type(out, type, hooks)
  local asked = {}
  for i, f in ipairs(type.facets or {}) do
    asked[i] = ("[%s](#hooks)"):format(f.hook)
    if not hooks[f.hook] then
      hooks[f.hook] = true
      hooks[#hooks + 1] = { f.hook, f.chain and "a chain" or "one", f.doc }
    end
  end
  out[#out + 1] = ""
  out[#out + 1] = ("### `loom.%s`"):format(type.name)
  out[#out + 1] = ""
  out[#out + 1] = type.doc .. "." .. (#asked == 0 and "" or
                  " Answers " .. table.concat(asked, ", ") .. ".")
  local one = {} -- of parameters, and of statistics below them
  for _, section in ipairs(sections(type)) do
    section.head[1] = heads[section.title]
    if section.title == "parameters" then
      one = section
    elseif section.title == "statistics" then
      for _, row in ipairs(section) do
        local name, kind, of, meaning = table.unpack(row)
        one[#one + 1] = { name, kind, of, "", "", meaning, "" }
      end
      markdown_table(out, one)
    elseif section.title ~= "answers" then
      markdown_table(out, section)
    end
  end
end

function M.markdown()
  local hooks = { title = "hooks", head = { "hook", "takes",
                                           "meaning" } }
  local out = { "# Reference", "",
    "Generated from the source by `warploom info --markdown`; do not edit.",
    ("Of warploom %s, results layout %s. A part's table of names has its " ..
     "parameters,"):format(core.version, core.layout),
    "which have a default, then its statistics, which have none." }
  for _, part in ipairs { { "Components", types.component_list },
                          { "Policies", types.policy_list } } do
    out[#out + 1] = ""
    out[#out + 1] = "## " .. part[1]
    for _, type in ipairs(part[2]) do markdown_type(out, type, hooks) end
  end
  table.sort(hooks, function(a, b) return a[1] < b[1] end)
  out[#out + 1] = ""
  out[#out + 1] = "## Hooks"
  markdown_table(out, hooks)
  return out
end

return M
