-- One point of an experiment: its run, and the note that says that it is
-- done.
--
-- The run itself is kept first (run/store.lua), so that another metric needs
-- no simulation.  A note is written when everything else is on the disk.  It
-- names what the point depends on that was not known before it ran (the files
-- that its program read), the digest of its results file, and its metrics;
-- floats are hexadecimal, so that they are read back as they were.
--
--   warploom-point 1
--   key <sha256>
--   point <label>
--   digest <digest of its machine, its time and its counters>
--   file <sha256> <bytes>
--   input <sha256> <path>
--   stored true       if the run was there already (run/store.lua)
--   estimates <how>   what its file says of what its numbers are of: those
--   timed <choice>    of a sampled run; of some launches only
--   metric <name> <float> [<its standard error, if it is an estimate>]

local import = ...
local core = import "core"
local session = import "script/session"
local result = import "run/result"
local run_module = import "run/run"
local store = import "run/store"

local M = {}

function M.experiment() return import "sweep/experiment" end

-- What a results file says of all its numbers, if it says anything.
M.facts = { "estimates", "timed" }
M.fact_docs = {
  estimates = "How its numbers were estimated, if they are not exact",
  timed = "Which launches its numbers are of, if not all",
}

local function put_facts(lines, run)
  local said = { estimates = run.estimates, timed = run.timed_text }
  for _, name in ipairs(M.facts) do
    if said[name] then lines[#lines + 1] = name .. " " .. said[name] end
  end
end

local function lines_of(point, run, values, key)
  local lines = { "warploom-point 1", "key " .. key, "point " .. point.label,
                  "digest " .. run.results_digest }
  lines[#lines + 1] = ("file %s %d"):format(
    store.digest(run, session.point.file))
  local cache = session.point.cache and session.point.cache .. "/"
  for _, input in ipairs(run.inputs) do
    -- Others are part of the program, or streams that can be made again.
    if core.kind(input.path) == "file" and
       not (cache and input.path:sub(1, #cache) == cache) then
      lines[#lines + 1] = ("input %s %s"):format(input.sha256 or
                                                 core.sha256(input.text),
                                                 input.path)
    end
  end
  if run.stored then lines[#lines + 1] = "stored true" end
  put_facts(lines, run)
  for _, one in ipairs(values) do
    lines[#lines + 1] = ("metric %s %a"):format(one.name, one.value) ..
                        (one.error and (" %a"):format(one.error) or "")
  end
  return lines
end

local function measure(e, run)
  local list = {}
  local values, errors = M.experiment().measure(e, result.of(run))
  for i, metric in ipairs(e.metrics) do
    list[i] = { name = metric.name, value = values[metric.name],
                error = errors[metric.name] }
  end
  return list
end

-- Runs the point that the session names.
function M.run(e, where)
  local point = e.points[where.number]
  if not point then
    session.stop("output", ("there is no point %d"):format(where.number))
  end
  local spec = M.experiment().spec(e, point)
  if not spec then session.stop("config") end
  session.out, where.label = where.file, point.label
  local run = run_module.execute(spec, e.site)
  if run.status ~= "complete" and run.status ~= "cut" then
    session.stop("failed")
  end
  if not where.note then return end -- repeated, for its results
  local lines = lines_of(point, run, measure(e, run), where.key)
  local text = table.concat(lines, "\n") .. "\n"
  local ok, why = core.durable(where.note, text)
  if not ok then session.stop("output", why) end
end

-- What a note says; nil if there is none that can be used.
function M.read(path)
  local file = io.open(path, "rb")
  local text = file and file:read("a")
  if file then file:close() end
  if not text or not text:find("^warploom%-point 1\n") or
     not text:find("\n$") then
    return nil
  end
  local note = { inputs = {}, metrics = {}, errors = {} }
  for line in text:gmatch("([^\n]+)\n") do
    local word, rest = line:match("^(%S+) ?(.*)$")
    if word == "input" then
      local sha, input = rest:match("^(%x+) (.*)$")
      if not sha then return nil end
      note.inputs[#note.inputs + 1] = { sha256 = sha, path = input }
    elseif word == "metric" then
      local name, value, err = rest:match("^(%S+) (%S+) ?(%S*)$")
      if not name then return nil end
      note.metrics[name] = tonumber(value) or 0 / 0
      note.errors[name] = err ~= "" and (tonumber(err) or 0 / 0) or nil
    elseif word == "file" then
      note.sha256, note.bytes = rest:match("^(%x+) (%d+)$")
    else
      note[word] = rest
    end
  end
  return note.key and note.sha256 and note or nil
end

-- Are the files the note speaks of still what they were?  `digest` gives a
-- file's SHA-256, or nil.
function M.holds(note, key, file, digest)
  if not note or note.key ~= key or digest(file) ~= note.sha256 then
    return false
  end
  for _, input in ipairs(note.inputs) do
    if digest(input.path) ~= input.sha256 then return false end
  end
  return true
end

return M
