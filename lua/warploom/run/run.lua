-- loom.run: checks a machine and a workload, builds the machine, runs the
-- workload on it and writes the results.

local import = ...
local core = import "core"
local session = import "script/session"
local record = import "machine/record"
local machine_module = import "machine/machine"
local device = import "host/device"
local progress = import "run/progress"
local queue = import "host/queue"
local running = import "host/running"
local spec_module = import "run/spec"
local record_file = import "recording/file"
local stream_cache = import "recording/stream_cache"
local result_store = import "run/store"
local option = import "script/option"
local output = import "run/output"
local locality = import "machine/locality"
local cost = import "policy/cost"
local describe = import "machine/describe"
local energy = import "machine/energy"
local interrupt = import "script/interrupt"
local result = import "run/result"
local errors = import "run/errors"
local checkpoint = import "run/checkpoint"

local M = {}
local run_methods = {}
local run_meta = { __index = run_methods, __name = "internal run" }

------------------------------------------------------------------------------
-- Output

-- Every failure of the recorder ends the run with the status for output.
function run_methods.output(_, value, text)
  if value == nil then session.stop("output", text) end
  return value
end

function run_methods:snapshot(label, reason, kernel, stream)
  if self.recorder and not self.replay then
    self:output(self.recorder:snapshot(label, reason, kernel, stream))
    self.sample_times[#self.sample_times + 1] = self.machine:now()
  end
end

------------------------------------------------------------------------------
-- Reading a run

-- Of a functional run nothing was timed: all are 0.
local function no_stats()
  return setmetatable({}, { __index = function() return 0 end,
                            __name = "statistics" })
end

local function make_stats(run)
  run.stats = run.catalog and result.stats(run.catalog) or no_stats
  run.errors = run.catalog and result.errors(run.catalog) or no_stats
end

-- How much of a run was passed over, and what its time's standard error is.
local function add_errors(run)
  local sampler = run.sampler
  run.sampled, run.seconds_error, run.cycles_error = 0.0, 0.0, 0.0
  if not sampler then return end
  sampler:finish_all()
  run.seconds_error = sampler.estimate:time_error()
  run.cycles_error = run.seconds_error *
                     record.clock(run.description.root).value
  run.sampled = sampler.estimate:left_out() / math.max(run.warp_insts, 1)
end

-- Lets what is still under way (write-backs after the last kernel) arrive,
-- so that what went in can be compared with what came out.  Cycles and
-- seconds of the run do not include it, statistics do.  Where nobody holds
-- anything it is over, even if there are timers that go on.
local function drain(run)
  local machine = run.machine
  local hertz = record.clock(run.description.root).value
  local slice = running.edge(2000000, hertz)
  local most = running.later(machine:now(), math.max(machine:now(), slice))
  local why, text, kind
  repeat
    why, text, kind = machine:run(running.later(machine:now(), slice),
                                  run.patience)
  until why ~= "time" or #machine:check() == 0 or machine:now() >= most
  if why == "error" then
    run.status, run.reason = kind, text
  elseif why == "stuck" and #machine:check() > 0 then
    run.status, run.reason = "deadlock", machine:report()
  end
end

-- The laws, at the end of a run that came to its end.
local function check(run)
  if run.status ~= "complete" then return end
  run.violations = run.machine:check()
  if #run.violations > 0 then
    run.status, run.reason = "violation", "a conservation law is broken"
  end
end

-- Of counters and memory; and of the machine, its time and its counters: what
-- is equal where a sweep's axis changes nothing.
local function add_digests(run)
  run.digest = core.state_digest(run.machine, run.memory)
  if session.point then
    run.results_digest = core.sha256(("%s%d\n%s"):format(
      describe.parts(run.description), run.machine:now(),
      core.state_digest(run.machine)))
  end
end

-- The caches of a machine without time are served that had to wait.
local function finish_model(run)
  if run.status == "complete" then
    local ok, text, kind = run.model:finish()
    if not ok then run.status, run.reason = kind, text end
  end
  run.model:close()
  run.caches = {}
  for _, g in ipairs(run.catalog:groups()) do
    if g.type == "cache" then
      run.caches[g.group:match("([^/]+)$")] = {
        accesses = run.catalog:query(g.group, "accesses_by_kind").load,
        hits = run.catalog:query(g.group, "hits_by_kind").load }
    end
  end
  check(run)
  add_digests(run)
  output.close(run)
end

-- Joules of the whole run, watts, and joules times seconds.
local function add_energy(run)
  run.energy, run.energy_error = 0.0, 0.0
  for _, g in ipairs(run.catalog:groups()) do
    if g.energy then
      run.energy = run.energy + run.catalog:query(g.group, "energy")
      -- All of them go with time.
      run.energy_error = run.energy_error +
                         run.catalog:error(g.group, "energy")
    end
  end
  run.power = run.seconds > 0 and run.energy / run.seconds or 0.0
  run.energy_delay = run.energy * run.seconds
end

local function finish(run)
  local machine = run.machine
  run.progress:clear()
  run.wall = run.progress:wall()
  if run.functional then
    run.warp_insts = run.functional_insts
    run.seconds, run.cycles, run.thread_insts = 0.0, 0, 0
    add_errors(run)
    run.kips = run.warp_insts / math.max(run.busy, 1e-9) / 1000
    if run.model then
      finish_model(run)
    else
      run.digest = session.blind and "" or run.memory:digest()
    end
    return
  end
  machine:settle()
  run.seconds = machine:now() / 1e15
  run.cycles = machine:cycle(record.path(run.description.root))
  run.warp_insts = math.tointeger(running.insts(run)) or running.insts(run)
  run.thread_insts = machine:total("sm", "thread_insts")
  -- A launch that did not end is not in `busy`.
  local busy = run.status == "complete" and run.busy or run.wall
  run.kips = (run.warp_insts - (run.insts_before or 0)) /
             math.max(busy, 1e-9) / 1000
  run.ticks = machine:ticks()
  add_errors(run)
  if run.coefficients then add_energy(run) end
  if session.threads_report then
    run.threads = import "run/threads".of(machine, busy)
  end
  if run.status == "complete" then drain(run) end
  check(run)
  add_digests(run)
  output.close(run)
  if run.timeline then
    local ok, why = import "run/timeline".finish(run)
    if not ok then run.output_error = run.output_error or why end
  end
end

-- Runs the host program; returns how it ended.
local function drive(run)
  local dev = device.new(run)
  run.device = dev
  local function on_error(e)
    if getmetatable(e) == session.Stop then return e end
    local site = session.site()
    local stop = session.exhausted(e, site)
    if stop then return stop end
    local text = tostring(e):gsub("^[^\n]-:%d+: ", "", 1)
    return setmetatable({ kind = "workload", text = ("%s:%d: %s"):format(
      site.file, site.line, text), trace = debug.traceback("", 2) },
      session.Stop)
  end
  local ok, e = xpcall(function()
    if not run.functional or run.model then output.open(run) end
    run.loads = run.recorder and run.catalog and
                import "run/loads".new(run.catalog)
    record_file.begin(run)
    if run.spec.workload.alone then
      running.alone(run)
    else
      run.spec.workload.run(dev, run.spec.workload.values)
      queue.join(run)
    end
    checkpoint.finish(run)
    if run.timed then run.timed:finish(run) end
    if run.sampler then run.sampler:check() end
  end, on_error)
  if not ok then e = session.exhausted(e) or e end
  run.verdicts = dev.verdicts
  dev:tell()
  dev:tell_races()
  if not ok and e.kind == "config" then record_file.abandon(run) end
  if ok then
    run.status, run.reason = "complete", "complete"
  elseif e.kind == "cut" then
    run.status, run.reason = "cut", e.text
  elseif e.kind == "config" then
    error(e, 0)
  else
    run.status, run.reason = e.kind, e.text or "?"
  end
end

-- What a script gets where nothing is run (check, graph): all numbers are 0,
-- so that what it computes from them goes through.  It has every name that a
-- run's results have; those of statistics are looked up in the catalogue of the
-- machine, while there is one.
local checked_last = {} -- machines whose names can be asked for, oldest first

-- Machines of a sweep would pile up: the last few.
local function remember(machine, catalog)
  local entry = { machine = machine, catalog = catalog }
  checked_last[#checked_last + 1] = entry
  if #checked_last > 4 then
    local oldest = table.remove(checked_last, 1)
    oldest.catalog:close()
    oldest.machine:close()
    oldest.catalog = nil
  end
  return entry
end

-- Patterns of series and of snapshots, which a recorder would look at.
local function check_patterns(catalog, stats, site)
  if stats.select then
    local ok, why = catalog:select(stats.select)
    if not ok then
      session.problem("stats", why, session.field(site, "run", "stats",
                                                  "select"))
    end
  end
  for _, one in ipairs(stats.series) do
    local ok, why = catalog:select(one.select)
    if not ok then
      session.problem("series " .. one.name, why,
                      session.field(site, "run", "stats", "series", one.name))
    end
  end
end

local function not_run(spec, description, entry)
  local zeros = setmetatable({}, { __index = function() return 0 end })
  local run = {
    description = description, seconds = 0.0, cycles = 0, warp_insts = 0,
    thread_insts = 0, kips = 0.0, wall = 0.0, busy = 0.0, ticks = 0,
    digest = "", status = "not run", reason = "not run", verdicts = {},
    violations = {}, functional = false, kernels = {}, caches = zeros,
    stats = function(path)
      return entry and entry.catalog and result.stats(entry.catalog)(path) or
             zeros
    end,
    errors = function(path)
      return entry and entry.catalog and result.errors(entry.catalog)(path) or
             zeros
    end,
    sampled = 0.0, seconds_error = 0.0, cycles_error = 0.0,
    storage = entry and cost.storage(description) or zeros,
    seed = spec.seed, workload = spec.workload and spec.workload.name,
  }
  for i = 1, 64 do run.kernels[i] = queue.no_launch() end
  if spec.energy then
    run.energy, run.power, run.energy_delay = 0.0, 0.0, 0.0
    run.energy_error = 0.0
  end
  return run
end

-- What is kept of a run when the script no longer holds it: results, without
-- the machine and the device memory, which are large.
local function plain(from)
  local kept = {}
  for key, value in next, from do
    local kind = type(value)
    if kind == "string" or kind == "number" or kind == "boolean" then
      kept[key] = value
    end
  end
  return kept
end

local function outcome(run)
  local kept = plain(run)
  kept.verdicts, kept.kernels, kept.caches = run.verdicts, {}, run.caches
  kept.storage = run.storage
  if run.violations and #run.violations > 0 then
    kept.violations = run.violations
  end
  for i, kernel in ipairs(run.kernels) do kept.kernels[i] = plain(kernel) end
  return kept
end

-- A run that was made before, whose numbers are in its results file.
local function restored(run, built, coefficients, description)
  local catalog = core.catalog(built, coefficients)
  local ok, text = catalog:restore(run.file)
  if not ok then session.stop("input", text) end
  run.machine, run.catalog = built, catalog
  make_stats(run)
  if (run.sampled or 0) > 0 then
    run.errors = result.errors(catalog, errors.reader(run, catalog))
  end
  run.storage = cost.storage(description)
  for _, kernel in ipairs(run.kernels) do queue.launch_of(kernel) end
  return run
end

-- To the collector a machine is one small object, so it would let those of a
-- sweep pile up: what is dead may take as much memory and address space as what
-- lives, or as much as a large machine; none where address space is scarce.
local function collect()
  local most = session.memory_limits
  local memory, space = core.memory_in_use()
  if most and memory and memory < most.memory and space < most.space then
    return
  end
  if #session.runs > 0 then collectgarbage() end
  memory, space = core.memory_in_use()
  if not memory or core.address_space() then return end
  session.memory_limits = { memory = math.max(2 * memory, 512 << 20),
                            space = math.max(2 * space, 1 << 40) }
end

-- Runs what loom.run is given, from the line that `site` names; the run as the
-- library sees it.
function M.execute(spec, site)
  interrupt.check()
  local again = session.again
  session.run_count = session.run_count + 1
  if again and again.digest then session.stop("repeated") end
  collect()
  if session.host then spec = session.host.spec(spec) end
  local checked = spec_module.check(spec, site)
  local description
  if checked.machine then
    description = machine_module.resolve(checked.machine, checked.seed,
                                         checked.transform)
    -- `check` and `graph` look at them; those of a sweep would pile up.
    if session.mode ~= "run" and not session.wanted or
       #session.machines == 0 then
      session.machines[#session.machines + 1] = description
    end
  end
  local built, place, places
  local timeless = checked.machine and locality.is_root(checked.machine)
  if #session.problems == 0 and timeless then
    spec_module.check_timeless(site, checked)
  elseif #session.problems == 0 and not session.functional then
    spec_module.check_host(site, checked, description.host)
  end
  local coefficients
  if #session.problems == 0 and checked.energy then
    coefficients = energy.coefficients(checked.energy, description)
  end
  local traced
  if #session.problems == 0 then
    traced = (checked.timeline or checked.stats.profile) and
             not session.functional and
             import "run/timeline".prepare(checked, description)
    places = checkpoint.prepare(timeless, checked, description, site)
  end
  if #session.problems == 0 then
    built, place = machine_module.build(description,
      traced and traced.described, places)
  end
  if session.mode == "run" then
    option.finish "early"
    if #session.problems > 0 then session.stop("config") end
  end
  if session.mode ~= "run" or not built then
    session.pretended = true
    local entry
    if built then
      local catalog = core.catalog(built, coefficients)
      check_patterns(catalog, checked.stats, site)
      entry = remember(built, catalog)
    end
    local nothing = not_run(checked, description, entry)
    if entry and session.probe then
      session.probe(entry.catalog, result.of(nothing))
    end
    return nothing
  end
  local facts = machine_module.facts(description)
  local stored, store = result_store.prepare(checked, description, facts)
  if stored then
    return restored(stored, built, coefficients, description)
  end
  local keep = stream_cache.prepare(checked, facts)
  local run = setmetatable({
    spec = checked, site = site, description = description, machine = built,
    seed = checked.seed, kernels = {}, inputs = {}, programs = {},
    series = {}, functional_insts = 0, busy = 0,
    coefficients = coefficients, storage = cost.storage(description),
    workload = checked.workload.name,
    functional = session.functional or timeless, timeline = traced or nil,
  }, run_meta)
  checkpoint.placed(run, place)
  run.memory = core.memory(checked.memory * session.devices, checked.guard)
  run.watch, run.facts = checked.watch, facts
  if checked.out_of_bounds == "zero" then run.memory:forgive() end
  if checked.watch & 1 ~= 0 then run.memory:watch() end
  run.progress = progress.new()
  if not run.functional or timeless then
    run.catalog = core.catalog(built, coefficients)
  end
  queue.begin(run)
  if timeless then
    local text
    run.model, text = locality.model(description, built)
    if not run.model then session.stop("workload", text) end
  end
  make_stats(run)
  run.monitor = session.monitor
  if run.monitor then run.monitor:begin(run) end
  drive(run)
  record_file.finish(run)
  finish(run)
  if run.monitor then run.monitor:finish(run, running.where_of) end
  keep(run)
  local kept = outcome(run)
  session.runs[#session.runs + 1] = kept
  store(run, kept)
  import "run/summary".show(run)
  if session.host and not session.quiet and not session.json then
    import "look/kernels".after(run)
  end
  session.written[run.file and core.resolve(run.file) or ""] = true
  if again and session.run_count == again.run then again.digest = run.digest end
  if run.status ~= "complete" and run.status ~= "cut" then
    session.stop("failed")
  elseif run.output_error then
    session.stop("failed")
  end
  if again and again.digest then session.stop("repeated") end
  return run
end

function M.run(spec)
  return result.of(M.execute(spec, session.site()))
end

return M
