-- Recording a run: its launches, streams and what the host program did.
--
-- What is written is the same each time: no dates, no paths of the host but
-- those that the script names.

local import = ...
local core = import "core"
local card = import "recording/card"
local describe = import "machine/describe"
local files = import "script/files"
local session = import "script/session"

local M = {}

-- The first run of a script is written to the path given, the next ones to
-- x-2.wlt, x-3.wlt ...
local function next_path()
  session.recordings = (session.recordings or 0) + 1
  return files.numbered(session.record, session.recordings)
end

local function fail(run, text)
  M.abandon(run)
  session.stop("output", text)
end

local function try(run, value, text)
  if value == nil then fail(run, text) end
  return value
end

local function sorted(values)
  local names = {}
  for name in next, values do
    if type(name) == "string" then names[#names + 1] = name end
  end
  table.sort(names)
  return names
end

-- Everything that the streams of a run of this workload depend on, before it
-- is run: a list of pairs for core.stream_key.  Nothing in it is about the
-- machine but the facts that a program can read.
local function parameters(spec)
  local list = { { "warploom", core.version },
                 { "workload", spec.workload.name },
                 { "seed", tostring(spec.seed) } }
  local values = spec.workload.values
  for _, name in ipairs(sorted(values)) do
    list[#list + 1] = { "parameter " .. name,
                        ("%s %s"):format(math.type(values[name]) or
                                         type(values[name]),
                                         tostring(values[name])) }
  end
  return list
end

local function ingredients(spec)
  local list = parameters(spec)
  -- Programs of the suite are part of the release; what scripts and their
  -- modules say is not.
  for _, name in ipairs(session.source_names) do
    list[#list + 1] = { "source " .. name, session.sources[name] }
  end
  for _, name in ipairs(session.option_names) do
    list[#list + 1] = { "option " .. name,
                        tostring(session.options[name].value) }
  end
  return list
end

local program

-- What the linker named this program, which is after its contents, or its
-- digest.
function M.program()
  program = program or core.build_id() or files.digest(core.executable())
  return program
end

local fact_names = { "sms", "warps", "registers", "shared", "ctas" }

-- Streams are others if they are in a compiler's order; their tables say where
-- lanes part and meet.
local function scheduled(list, facts)
  if facts and facts.scheduled then
    list[#list + 1] = { "fact scheduled", "with ways" }
  end
end

-- The key of a run: equal keys, equal streams.  Programs that the workload
-- loads from disk are added once they are known.
function M.key(run)
  local list = ingredients(run.spec)
  for _, input in ipairs(run.inputs) do
    list[#list + 1] = { "input " .. input.path,
                        input.sha256 or core.sha256(input.text) }
  end
  scheduled(list, run.facts)
  -- Only what rewrites kernels, or makes CTAs take turns, sees the machine.
  if run.spec.transform or run.saw_machine then
    for _, name in ipairs(fact_names) do
      list[#list + 1] = { "fact " .. name,
                          tostring(run.facts and run.facts[name]) }
    end
  end
  if run.saw_time then -- and so all of the machine
    list[#list + 1] = { "machine", describe.json(run.description) }
  end
  return core.stream_key(list)
end

-- The key of a workload of the suite before it has run: nothing but its
-- parameters, this version and what programs see of the machine.
function M.key_before(spec, facts)
  local list = parameters(spec)
  for _, name in ipairs(fact_names) do
    list[#list + 1] = { "fact " .. name, tostring(facts and facts[name]) }
  end
  scheduled(list, facts)
  return core.stream_key(list)
end

-- Notes what the host program does, if the run is recorded.
function M.event(run, ...)
  card.event(run, ...)
  if run.recording then try(run, run.recording:event(...)) end
end

-- Begins to record a run, if that was asked for.
function M.begin(run)
  card.begin(run)
  if not session.record then return end
  local path = next_path()
  local writer, text = core.recording_writer(path)
  if not writer then session.stop("output", text) end
  run.recording, run.recording_path = writer, path
end

-- Before a launch is executed.
function M.attach(run, launch)
  local facts = launch.kernel:facts()
  if facts.interleave > 0 then run.saw_machine = true end
  if facts.timed or facts.placed then run.saw_time = true end
  if run.recording then
    try(run, run.recording:attach(launch.kernel, launch.stream))
    run.registers_from = run.registers_from or {}
    table.insert(run.registers_from, launch.registers_from or "PTX")
  end
end

-- Where the registers of each launch are from, as text: "PTX*7 sm_75*2"; nil
-- where all were counted in PTX.
local function registers_note(list)
  local out, count, other = {}, 0, false
  for i, from in ipairs(list) do
    count, other = count + 1, other or from ~= "PTX"
    if from ~= list[i + 1] then
      out[#out + 1], count = ("%s*%d"):format(from, count), 0
    end
  end
  return other and table.concat(out, " ") or nil
end

-- The list that such a note is of; launches behind its end are of PTX.
function M.registers_list(note, most)
  local list = {}
  for from, count in (note or ""):gmatch("(%S+)%*(%d+)") do
    for _ = 1, math.min(tonumber(count), most - #list) do
      list[#list + 1] = from
    end
  end
  return list
end

function M.abandon(run)
  if run.recording then
    run.recording:abandon()
    run.recording = nil
  end
end

-- After the run, before its programs are closed.  A run that did not come to
-- its end leaves no recording.
function M.finish(run)
  local writer = run.recording
  if not writer then return end
  if run.status ~= "complete" then
    M.abandon(run)
    io.stderr:write(("warploom: '%s' is not written: the run did not come " ..
                     "to its end (%s)\n"):format(run.recording_path,
                                                 run.reason or run.status))
    return
  end
  local notes = {
    { "warploom", core.version }, { "script", session.script or "" },
    { "script_sha256", core.sha256(session.sources[session.script] or "") },
    { "workload", run.spec.workload.name }, { "seed", tostring(run.seed) },
    { "memory_digest", run.memory_digest or run.memory:digest() },
    { "key", M.key(run) },
  }
  local from = registers_note(run.registers_from or {})
  if from then notes[#notes + 1] = { "registers_from", from } end
  local values = run.spec.workload.values
  for _, name in ipairs(sorted(values)) do
    notes[#notes + 1] = { "parameter " .. name, tostring(values[name]) }
  end
  for _, input in ipairs(run.inputs) do
    notes[#notes + 1] = { "input " .. input.path,
                          input.sha256 or core.sha256(input.text) }
  end
  local ok, text = true, nil
  for _, note in ipairs(notes) do
    if ok then ok, text = writer:note(note[1], note[2]) end
  end
  local totals
  if ok then
    run.recording = nil
    totals, text = writer:finish()
  else
    M.abandon(run)
  end
  if not totals then
    run.output_error = text
    return
  end
  run.recorded = totals
  if not session.quiet then io.stderr:write(M.summary(run), "\n") end
end

local function rounded(n)
  return ("%d"):format(n):reverse():gsub("(%d%d%d)", "%1,"):reverse()
                         :gsub("^,", "")
end

function M.summary(run)
  local t = run.recorded
  local per = t.insts > 0 and t.stream_bytes / t.insts or 0
  return ("recorded '%s': %d launches, %s warp instructions, %s bytes " ..
          "(%.2f a warp instruction)"):format(run.recording_path, t.launches,
          (rounded(t.insts)), (rounded(t.file_bytes)), per)
end

return M
