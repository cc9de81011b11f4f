-- A run's results file: where it is, what it says of the run's origin, and how
-- it is closed.

local import = ...
local core = import "core"
local access = import "script/access"
local session = import "script/session"
local record = import "machine/record"
local describe = import "machine/describe"
local energy = import "machine/energy"
local cost = import "policy/cost"

local M = {}

local function output_path(spec)
  local out, file = session.out, spec.stats.file
  local again = session.again
  if again then -- only what is repeated leaves something, where -o says
    return session.run_count == again.run and out or nil
  elseif not out then
    local real, why = access.look(file or "")
    if file and not real then
      session.stop("output", ("'%s' cannot be used: %s"):format(file, why))
    end
    return file
  end
  if out:find("%.h5$") then return out end
  if core.kind(out) ~= "directory" then core.mkdir(out) end
  return ("%s/%s"):format(out, (file or spec.workload.name .. ".h5")
                          :match("[^/]+$"))
end

-- Origins with the sites as text, and what policies would store in hardware,
-- for /topology and the groups of policies.
local function origins_of(description)
  local out = {}
  local cache = {}
  local function site_text(site)
    if not site then return "" end
    if not cache[site] then
      local refined = session.refine(site)
      cache[site] = ("%s:%d"):format(refined.file, refined.line)
    end
    return cache[site]
  end
  local names = { default = "default", preset = "preset", argument = "user",
                  instance = "user" }
  local shared = {} -- of copies, as machine.lua has them
  local function params_of(given)
    local params = shared[given] or {}
    if shared[given] then return params end
    for name, one in next, given do
      params[name] = { origin = names[one.origin],
                       text = one.origin ~= "default" and
                              site_text(one.site) or "" }
    end
    shared[given] = params
    return params
  end
  for path, entry in next, description.origins do
    out[path] = { origin = names[entry.origin], text = site_text(entry.site),
                  params = params_of(entry.params) }
  end
  for _, item in ipairs(cost.of(description)) do
    local entry = item.parts and out[item.policy.path]
    if entry then entry.storage = item.parts.total end
  end
  return out
end

-- Opens it; spec.stats say what is in it.
function M.open(run)
  local spec = run.spec
  local path = output_path(spec)
  if not path then
    -- Where the machine pauses, its parts are brought up to date.
    for _, series in ipairs(session.again and spec.stats.series or {}) do
      run.series[#run.series + 1] = { period = series.period,
                                      next = series.period }
    end
    return
  end
  local recorder, text, kind = core.recorder(run.machine, path, {
    title = spec.title, experiment = session.script,
    workload = spec.workload.name,
    machine_name = record.data(run.description.root).preset or
                   tostring(run.description.root),
    clock = record.path(run.description.root), version = core.version,
    build_flags = core.build_type, seed = spec.seed,
    run = session.run_count, argv = session.command,
    config_json = describe.json(run.description),
    config_lua = describe.lua(run.description),
    flush_ms = spec.stats.flush_ms or 0, select = spec.stats.select,
    energy = run.coefficients,
    estimate = run.sampler and run.sampler.estimate,
    timed = run.timed and run.timed.text,
    energy_model = run.coefficients and energy.text(spec.energy),
    origins = origins_of(run.description) })
  if not recorder and kind == "config" then
    session.problem("stats", text, session.field(run.site, "run", "stats",
                                                 "select"))
    session.stop("config")
  end
  if not recorder then session.stop("output", text) end
  run.file, run.recorder = path, recorder
  run.estimates = run.sampler and "sampled" -- as the file says
  run.timed_text = run.timed and run.timed.text
  for _, series in ipairs(spec.stats.series) do
    local number, why = recorder:series(series.name, series.period,
                                        series.select)
    if not number then
      recorder:abandon()
      run.recorder = nil
      session.problem("series " .. series.name, why,
                      session.field(run.site, "run", "stats", "series",
                                    series.name))
      session.stop("config")
    end
    run.series[#run.series + 1] = { number = number, period = series.period,
                                    next = series.period }
  end
  for _, name in ipairs(session.source_names) do
    run:output(recorder:source(name, session.sources[name]))
  end
  run.sources = #session.source_names
end

-- What was read after the run had begun, and the files that it depends on.
local function record_rest(run, recorder)
  for i = (run.sources or 0) + 1, #session.source_names do
    local name = session.source_names[i]
    local ok, text = recorder:source(name, session.sources[name])
    if not ok then return nil, text end
  end
  for _, list in ipairs { session.plugins, session.inputs, run.inputs } do
    for _, input in ipairs(list) do
      local ok, text = recorder:input(input.path, input.sha256 or
                                      core.sha256(input.text),
                                      input.bytes or #input.text)
      if not ok then return nil, text end
    end
  end
  return true
end

local statuses = { deadlock = "deadlock", cut = "complete",
                   complete = "complete", interrupted = "interrupted" }

function M.close(run)
  if not run.recorder then return end
  local recorder = run.recorder
  run.recorder = nil
  local ok, text = recorder:snapshot("end", "final")
  if ok then
    ok, text = record_rest(run, recorder)
  end
  if ok and run.timeline and run.spec.stats.profile then
    ok, text = run.timeline.file:record(recorder)
  end
  if ok and run.loads then ok, text = run.loads:record(recorder) end
  if ok then
    ok, text = recorder:close {
      status = statuses[run.status] or "error", reason = run.reason,
      digest = run.digest, wall = run.wall, kips = run.kips,
      launches = run.timed and run.timed.all,
      launches_timed = run.timed and run.timed.count }
  else
    recorder:abandon()
  end
  if not ok then
    run.output_error = text
    run.file = nil
  end
end

return M
