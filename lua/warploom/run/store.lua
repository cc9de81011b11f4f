-- Runs that are kept, so that nothing is simulated twice.
--
-- A store is a folder that sweeps share (`--store`) of runs, each named by a
-- digest of all that it depends on: the program, the resolved machine with its
-- policies (and so what rewrites kernels for this run, which is attached to its
-- host), the workload with its parameters, the seed, the energy model, and what
-- was asked of the statistics.  Which script or which point of it asked plays
-- no part.  Only workloads of the suite are shared: what a script's own
-- function does may depend on anything.  The same holds for policies written
-- in Lua, and for callbacks.  A run whose file has chosen statistics only
-- cannot answer as it did, and is not kept.
--
--   KEY.h5    the results file, the same one that the point has
--   KEY.run   written last: what of a run is not in its results file
--
-- A sweep keeps KEY.run of each of its own points as well, for metrics that
-- change (`--remeasure`).  There the point's name and the script's options are
-- part of the key, and that its functions do what they did is the user's word.
--
-- A kept run answers as it did when it was made: its statistics are put back
-- into the machine, which is built and not run (stats/restore.h).

local import = ...
local core = import "core"
local files = import "script/files"
local session = import "script/session"
local describe = import "machine/describe"
local record_file = import "recording/file"
local types = import "machine/types"
local energy = import "machine/energy"

local M = {}

local KEY_DIGITS = 24

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

-- All that can be seen of what a run depends on.
local function parts_of(spec, description, facts)
  local parts = { "warploom-store 2", record_file.program(),
                  record_file.key_before(spec, facts),
                  describe.json(description) }
  flat(parts, "stats", spec.stats)
  flat(parts, "stop", spec.stop)
  flat(parts, "sample", spec.sample)
  flat(parts, "timed", spec.timed)
  flat(parts, "memory", { spec.memory, spec.guard or "none", spec.watch,
                          spec.out_of_bounds,
                          session.interleave,
                          spec.stream_pool or "none",
                          spec.patience or "none" })
  if spec.from then
    parts[#parts + 1] = "from " .. (core.file_digest(spec.from) or "none")
  end
  parts[#parts + 1] = spec.energy and energy.text(spec.energy) or "no energy"
  for _, plugin in ipairs(session.plugins) do
    parts[#parts + 1] = "plugin " .. plugin.sha256
  end
  return parts
end

local function digest(parts)
  return core.sha256(table.concat(parts, "\n")):sub(1, KEY_DIGITS)
end

-- The key of a run that sweeps can share, or nil.
local function shared_key(spec, description, facts)
  if not spec.workload.suite or session.functional or #spec.every > 0 or
     spec.checkpoint or spec.from or
     os.getenv("WARPLOOM_LUA") or written_in_lua(description) then
    return nil
  end
  return digest(parts_of(spec, description, facts))
end

-- The key of a point's run among those of its sweep.
local function point_key(spec, description, facts)
  local parts = parts_of(spec, description, facts)
  parts[#parts + 1] = "point " .. session.point.label
  for _, name in ipairs(session.option_names) do
    parts[#parts + 1] = ("option %s %s"):format(name,
      tostring(session.options[name].value))
  end
  return digest(parts)
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
-- Files

local function read_all(path)
  local file = core.kind(path) == "file" and io.open(path, "rb")
  local text = file and file:read("a")
  if file then file:close() end
  return text
end

-- A run from its file, whose results are in `folder`; nil if it is damaged or
-- depends on what changed.  Second, where the results are.
local function read(path, folder)
  local text = read_all(path)
  local head, sha, body = (text or ""):match("^(warploom%-run 2) (%x+)\n(.*)$")
  if not head or core.sha256(body) ~= sha then return nil end
  local root = parse(body)
  if not root or type(root.outcome) ~= "table" or
     type(root.outcome.results_digest) ~= "string" or
     type(root.inputs) ~= "table" or type(root.file) ~= "string" then
    return nil
  end
  local results = folder .. "/" .. root.file
  if root.results ~= core.file_digest(results) then return nil end
  for _, input in ipairs(root.inputs) do
    if core.kind(input.path) ~= "file" or
       core.file_digest(input.path) ~= input.sha256 then
      return nil
    end
  end
  local run = root.outcome
  run.inputs, run.stored, run.file = root.inputs, true, session.point.file
  return run, results
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

-- SHA-256 and bytes of a run's results, which have one name or two.
function M.digest(run, file)
  if not run.file_sha256 then
    run.file_sha256, run.file_bytes = files.digest(file)
  end
  return run.file_sha256, run.file_bytes
end

-- Writes what is kept of a run whose results are in `file`, beside `path`.
local function keep(path, file, run, outcome)
  local lines = {}
  write(lines, "run\tsfile", file:match("[^/]*$"))
  write(lines, "run\tsresults", (M.digest(run, file)))
  write(lines, "run\tsinputs", inputs_of(run))
  write(lines, "run\tsoutcome", outcome)
  local body = table.concat(lines, "\n") .. "\n"
  core.durable(path, ("warploom-run 2 %s\n%s"):format(core.sha256(body), body))
end

-- Nobody else makes what two points want at the same time.
local function wait_for(path)
  while true do
    local lock, why = core.lock(path)
    if lock or why then return lock end
    core.wait(0.1)
  end
end

local function nothing() end

-- What was kept of this run under `path`, if it is all there.
local function recall(path)
  local folder = path:match("^(.*)/[^/]*$")
  local run, results = read(path, folder)
  if run and (results == session.point.file or
              share(results, session.point.file)) then
    return run
  end
end

local function is_kept(run)
  return (run.status == "complete" or run.status == "cut") and
         not run.output_error and core.kind(session.point.file) == "file"
end

-- A store's run, or what to call with the run that is made instead.
local function shared(spec, description, facts)
  local folder = session.point.store
  local key = folder and not spec.stats.select and not spec.stats.profile and
              shared_key(spec, description, facts)
  if not key then return nil, nothing end
  core.mkdir(folder)
  local base = folder .. "/" .. key
  local lock = wait_for(base .. ".lock")
  local run = recall(base .. ".run")
  if run then
    if lock then lock:close() end
    return run
  end
  return nil, function(made, outcome)
    if is_kept(made) and made.status == "complete" and
       share(session.point.file, base .. ".h5") then
      keep(base .. ".run", base .. ".h5", made, outcome)
    end
    core.remove(base .. ".lock")
    if lock then lock:close() end
  end
end

-- Before a run: one that was kept, if there is one.  Otherwise what to call
-- with the run and its outcome afterwards.
function M.prepare(spec, description, facts)
  local point = session.point
  if not point or not point.note then return nil, nothing end
  local path = ("%s/%s.run"):format(point.file:match("^(.*)/[^/]*$"),
                                    point_key(spec, description, facts))
  if point.remeasure then
    local run = recall(path)
    if run then return run end
    session.stop("config", "no results of this point are kept that could be " ..
                 "measured again: it was not run, or its machine, workload, " ..
                 "options, inputs or the program are others now; without " ..
                 "--remeasure it is simulated")
  end
  local run, store = shared(spec, description, facts)
  if run then
    local kept = {}
    for name, value in next, run do
      if name ~= "inputs" and name ~= "stored" then kept[name] = value end
    end
    keep(path, point.file, run, kept)
    return run
  end
  return nil, function(made, outcome)
    store(made, outcome)
    if is_kept(made) and not spec.stats.select and
       not spec.stats.profile then
      keep(path, point.file, made, outcome)
    end
  end
end

return M
