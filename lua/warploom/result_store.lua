-- Results that sweeps share: a folder of runs, each named by a digest of all
-- that it depends on: the program, the resolved machine with its policies (and
-- so what rewrites kernels for this run, which is attached to its host),
-- the workload with its parameters, the seed, the energy model, and what was
-- asked of the statistics.  Which script or which point of it asked plays no
-- part.
--
--   KEY.h5    the results file, the same one that the point has
--   KEY.run   written last: what a script can ask a run, its digest first
--
-- A point whose run is there gets that file, and its metrics are computed
-- from KEY.run: cycles, digests, kernels, and every statistic over all
-- instances.  A metric that asks for more (one instance, device memory) makes
-- the point run after all.
--
-- Only workloads of the suite are shared: what a script's own function does
-- may depend on anything.  The same holds for policies written in Lua.

local import = ...
local core = import "core"
local files = import "files"
local session = import "session"
local describe = import "describe"
local record_file = import "record_file"
local types = import "types"
local energy = import "energy"

local M = {}

local KEY_DIGITS = 24

-- What a stored run throws when it is asked for what was not kept.
M.not_kept = setmetatable({}, { __tostring = function()
  return "not kept in the store of results"
end })

------------------------------------------------------------------------------
-- Keys

local function written_in_lua(description)
  for _, policy in ipairs(description.policies) do
    if types.policies[policy.type].lua then return true end
  end
  return false
end

-- Tables of plain values, in order of their keys.
local function flat(out, path, value)
  if type(value) ~= "table" then
    out[#out + 1] = ("%s %s %s"):format(path, math.type(value) or type(value),
      math.type(value) == "float" and ("%a"):format(value) or tostring(value))
    return
  end
  local names = {}
  for key in next, value do names[#names + 1] = tostring(key) end
  table.sort(names)
  for _, name in ipairs(names) do
    local one = value[name]
    if one == nil then one = value[math.tointeger(tonumber(name))] end
    flat(out, path .. "." .. name, one)
  end
end

-- The key of a run, or nil if it is not one that can be shared.
local function key_of(spec, description, facts)
  if not spec.workload.suite or session.functional or
     os.getenv("WARPLOOM_LUA") or written_in_lua(description) then
    return nil
  end
  local parts = { "warploom-store 1", files.digest(core.executable()),
                  record_file.key_before(spec, facts),
                  describe.json(description) }
  flat(parts, "stats", spec.stats)
  flat(parts, "stop", spec.stop)
  flat(parts, "memory", { spec.memory, spec.guard or "none", spec.watch,
                          session.interleave,
                          spec.stream_pool or "none",
                          spec.patience or "none" })
  parts[#parts + 1] = spec.energy and energy.text(spec.energy) or "no energy"
  for _, plugin in ipairs(session.plugins) do
    parts[#parts + 1] = "plugin " .. plugin.sha256
  end
  return core.sha256(table.concat(parts, "\n")):sub(1, KEY_DIGITS)
end

------------------------------------------------------------------------------
-- Runs as text: one leaf a line, its path and its value separated by tabs

local function escaped(s)
  return (s:gsub("[%c\\]", function(c) return ("\\%03d"):format(c:byte()) end))
end

local function unescaped(s)
  return (s:gsub("\\(%d%d%d)", function(n)
    return string.char(tonumber(n) & 255)
  end))
end

local function word(value)
  local kind = math.type(value) or type(value)
  if kind == "integer" then return ("i%d"):format(value) end
  if kind == "float" then return ("f%a"):format(value) end
  if kind == "boolean" then return "b" .. tostring(value) end
  return "s" .. escaped(tostring(value))
end

local function value_of(text)
  local kind, rest = text:match("^(.)(.*)$")
  if kind == "i" then return math.tointeger(tonumber(rest)) end
  if kind == "f" then
    return tonumber(rest) or rest:find("nan") and 0 / 0 or
           (rest:find("^%-") and -math.huge or math.huge)
  end
  if kind == "b" then return rest == "true" end
  if kind == "s" then return unescaped(rest) end
end

local function write(lines, path, value)
  if type(value) ~= "table" then
    lines[#lines + 1] = path .. "\t" .. word(value)
    return
  end
  lines[#lines + 1] = path .. "\tt"
  local keys = {}
  for key in next, value do keys[#keys + 1] = key end
  table.sort(keys, function(a, b)
    if type(a) ~= type(b) then return type(a) < type(b) end
    return a < b
  end)
  for _, key in ipairs(keys) do
    write(lines, path .. "\t" .. word(key), value[key])
  end
end

-- The table that `lines` describe, or nil if they are damaged.
local function parse(text)
  local root = {}
  for line in text:gmatch("([^\n]+)\n") do
    local at, path = root, {}
    for part in line:gmatch("[^\t]+") do path[#path + 1] = part end
    local last = table.remove(path)
    for i = 2, #path - 1 do
      local key = value_of(path[i])
      if key == nil or key ~= key or type(at[key]) ~= "table" then
        return nil
      end
      at = at[key]
    end
    if #path > 1 then
      local key = value_of(path[#path])
      if key == nil or key ~= key then return nil end
      if last == "t" then at[key] = {} else at[key] = value_of(last) end
    end
  end
  return root
end

------------------------------------------------------------------------------
-- What a script can ask a run

-- Every statistic of every group over all its instances.
local function readings(catalog)
  local all = {}
  for _, g in ipairs(catalog:groups()) do
    local type = g.group:find("/policy/", 1, true) and
                 types.policies[g.type] or types.components[g.type] or
                 types.policies[g.type]
    local own = {}
    for _, stat in ipairs(type and type.stats or {}) do
      own[stat.name] = catalog:query(g.group, stat.name)
    end
    if g.energy then
      own.energy = catalog:query(g.group, "energy")
      own.power = catalog:query(g.group, "power")
      for _, event in ipairs(type.energies or {}) do
        local name = "energy_" .. event.name
        own[name] = catalog:query(g.group, name)
      end
    end
    all[g.group] = own
  end
  return all
end

local function missing() error(M.not_kept, 0) end

-- Statistics of a stored run, by group: the same values as those of the run.
local function stats_of(kept)
  return function(path)
    local group = kept[(tostring(path):gsub("%.", "/"))]
    if not group then missing() end
    return setmetatable({}, {
      __index = function(_, name)
        local value = group[name]
        if value == nil then missing() end
        return value
      end,
      __newindex = function() error("statistics are read only", 2) end,
      __tostring = function() return "statistics of " .. tostring(path) end,
      __name = "statistics",
    })
  end
end

local function read_all(path)
  local file = core.kind(path) == "file" and io.open(path, "rb")
  local text = file and file:read("a")
  if file then file:close() end
  return text
end

-- A run from its file; nil if that is damaged or depends on what changed.
local function read(path, results)
  local text = read_all(path)
  local head, sha, body = (text or ""):match("^(warploom%-run 1) (%x+)\n(.*)$")
  if not head or core.sha256(body) ~= sha then return nil end
  local root = parse(body)
  if not root or type(root.outcome) ~= "table" or
     type(root.inputs) ~= "table" or type(root.stats) ~= "table" or
     type(root.results_digest) ~= "string" or
     root.results ~= core.file_digest(results) then
    return nil
  end
  for _, input in ipairs(root.inputs) do
    if core.kind(input.path) ~= "file" or
       core.file_digest(input.path) ~= input.sha256 then
      return nil
    end
  end
  local run = root.outcome
  run.inputs, run.stored, run.file = root.inputs, true, session.point.file
  run.results_digest = root.results_digest
  run.stats = stats_of(root.stats)
  for _, kernel in ipairs(run.kernels or {}) do
    setmetatable(kernel, { __index = missing })
  end
  return setmetatable(run, { __index = missing, __name = "run" })
end

-- What of the files that a run read can change: not the program's own, nor
-- streams that are made again.
local function inputs_of(run)
  local cache = session.point.cache and session.point.cache .. "/"
  local list = {}
  for _, input in ipairs(run.inputs) do
    if core.kind(input.path) == "file" and
       not (cache and input.path:sub(1, #cache) == cache) then
      list[#list + 1] = { path = input.path, sha256 = input.sha256 or
                          core.sha256(input.text) }
    end
  end
  return list
end

-- One file under two names, or a copy where the disk has no such thing.
local function share(from, to)
  core.remove(to)
  if core.link(from, to) then return true end
  local text = read_all(from)
  return text and core.durable(to, text)
end

local function keep(base, run, outcome)
  local file = session.point.file
  if run.status ~= "complete" or run.output_error or
     core.kind(file) ~= "file" or not share(file, base .. ".h5") then
    return
  end
  local lines = {}
  run.results_digest = files.results_digest(file)
  write(lines, "run\tsresults", (files.digest(file)))
  write(lines, "run\tsresults_digest", run.results_digest)
  write(lines, "run\tsinputs", inputs_of(run))
  write(lines, "run\tsoutcome", outcome)
  write(lines, "run\tsstats", readings(run.catalog))
  local body = table.concat(lines, "\n") .. "\n"
  core.durable(base .. ".run",
               ("warploom-run 1 %s\n%s"):format(core.sha256(body), body))
end

-- Nobody else makes what two points want at the same time.
local function wait_for(path)
  while true do
    local lock, why = core.lock(path)
    if lock or why then return lock end
    core.wait(0.1)
  end
end

-- Before a run: the stored one if there is one.  Otherwise what to call with
-- the run and its outcome afterwards.
function M.prepare(spec, description, facts)
  local folder = session.point and session.point.store
  local key = folder and key_of(spec, description, facts)
  if not key then return nil, function() end end
  core.mkdir(folder)
  local base = folder .. "/" .. key
  local lock = wait_for(base .. ".lock")
  local run = read(base .. ".run", base .. ".h5")
  if run and share(base .. ".h5", session.point.file) then
    if lock then lock:close() end
    return run
  end
  return nil, function(made, outcome)
    keep(base, made, outcome)
    core.remove(base .. ".lock")
    if lock then lock:close() end
  end
end

return M
