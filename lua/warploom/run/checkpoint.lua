-- Checkpoints: a run that is saved between two of its tasks, and runs that go
-- on from there.
--
-- What is in the file: what the machine has become (engine/image.h), of each
-- launch, copy and event until then what the host program can ask of it, and
-- what it was answered when it asked whether something was over.
-- Who goes on runs the host program from its beginning: until that point its
-- launches are executed without time and answer as they did; then the machine
-- is made what it was.  What a program computes does not depend on time, so
-- memory is what it was, too, which is checked.

local import = ...
local core = import "core"
local access = import "script/access"
local session = import "script/session"
local machine_module = import "machine/machine"
local types = import "machine/types"
local unit = import "base/unit"

local M = {}

local MAGIC = "warploom checkpoint 2\n"
local DIGEST = 64 -- digits of SHA-256

M.fields = { "file", "after", "every" }

-- What a command line or a script says after a name: the value, or nil and
-- what is wrong with it.
function M.value(key, given)
  if key == "file" then
    if type(given) == "string" and given ~= "" then return given end
    return nil, ("is %s, expected a path"):format(unit.quote(given))
  elseif key == "after" then
    local n = math.tointeger(tonumber(given))
    if n and n >= 1 then return n end
    return nil, ("is %s, expected a number of launches, at least 1"):format(
      unit.quote(given))
  end
  local time = type(given) == "string" and unit.femtoseconds(given)
  if time and time > 0 then return time / 1e15 end
  return nil, ("is %s, expected a time of the host, such as \"600s\""):format(
    unit.quote(given))
end

-- Of --checkpoint: FILE[,after=N][,every=TIME].
function M.parse(text)
  local out = {}
  for word in (text .. ","):gmatch("([^,]*),") do
    local key, given = word:match("^(%l+)=(.*)$")
    local why
    if not out.file then key, given = "file", word end
    if key ~= "file" and key ~= "after" and key ~= "every" or
       key == "file" and out.file then
      return nil, ("--checkpoint has '%s', expected FILE,after=N or " ..
                   "FILE,every=TIME"):format(word)
    end
    out[key], why = M.value(key, given)
    if why then return nil, ("--checkpoint: '%s' %s"):format(key, why) end
  end
  return out
end

-- The options that say so, as words of a command line for another process;
-- paths as `path` makes them.
function M.words(options, path)
  local out, save = {}, options.checkpoint
  path = path or function(name) return name end
  if save then
    out[1] = "--checkpoint=" .. path(save.file) ..
      (save.after and ",after=" .. save.after or "") ..
      (save.every and (",every=%.17gs"):format(save.every) or "")
  end
  if options.resume then out[#out + 1] = "--resume=" .. path(options.resume) end
  return out
end

------------------------------------------------------------------------------
-- What a run must be like

-- Of a run that saves or goes on: what it cannot have beside it, or nil.
local function obstacle(timeless, checked)
  if timeless or session.functional then return "nothing is timed" end
  if checked.sample then return "a sampled run estimates what was left out" end
  if session.passing then return "CTAs are passed over" end
  if checked.timeline then return "a timeline begins with the run" end
  if #checked.every > 0 then
    return "callbacks ('every') of the time before would not be called again"
  end
  if session.record or session.card then return "the workload is recorded" end
  if checked.workload.alone then return "the machine has no host program" end
end

-- Policies of the description whose state is not the engine's.
local function foreign(description)
  for _, p in ipairs(description.policies) do
    if types.policies[p.type].lua then return p end
  end
end

-- Reports why a run cannot be saved, or go on, before it is built.
local function check(timeless, checked, description, where)
  local why = obstacle(timeless, checked)
  if why then
    session.problem("run", ("there is no checkpoint of it: %s"):format(why),
                    where)
  end
  local p = foreign(description)
  if p then
    session.problem(p.path, ("policy '%s' is in Lua, whose state is not " ..
      "saved"):format(p.type), where)
  end
end

------------------------------------------------------------------------------
-- Files

-- The description as { base = all but policies, path of policy -> text }.
local function parts_of(description)
  local base, policies, current = {}, {}, nil
  for line in machine_module.text(description):gmatch("([^\n]*)\n") do
    local path = line:match("^policy (%S+)")
    if path then current = path
    elseif not line:find("^  ") then current = nil end
    if current then
      policies[current] = (policies[current] or "") .. line .. "\n"
    else
      base[#base + 1] = line
    end
  end
  return { base = base, policies = policies }
end

local binary

-- The digest of this program and of what it has loaded.
local function program()
  binary = binary or core.file_digest(core.binary())
  local list = { binary }
  for _, plugin in ipairs(session.plugins) do
    list[#list + 1] = plugin.sha256
  end
  return table.concat(list, " ")
end

local numbers = { "seconds", "queued", "start", "stop", "time", "warp_insts",
                  "waves", "untimed", "passed" }

-- A task as text: what it is, when it was over, and what its handle answers.
local function pack_task(entry)
  local handle = entry.handle
  local moment = entry.moment or 0
  if entry.task then
    local _, _, stop = entry.task:times()
    moment = stop
  end
  local list = { ("<s8i8"):pack(M.name_of(entry), moment) }
  for i, name in ipairs(numbers) do
    local value = rawget(handle, name)
    local kind = math.type(value)
    list[i + 1] = kind == "integer" and ("<Bi8"):pack(1, value) or
                  kind == "float" and ("<Bd"):pack(2, value) or
                  value and "\3" or "\0"
  end
  return table.concat(list)
end

local function unpack_task(text, at)
  local task = {}
  task.what, task.moment, at = ("<s8i8"):unpack(text, at)
  for _, name in ipairs(numbers) do
    local kind
    kind, at = ("B"):unpack(text, at)
    if kind == 3 then
      task[name] = true
    elseif kind ~= 0 then
      task[name], at = (kind == 1 and "<i8" or "<d"):unpack(text, at)
    end
  end
  return task, at
end

-- What a task is, to be told apart from others.
function M.name_of(entry)
  local launch = entry.launch
  if not launch then return entry.what end
  return ("%s, grid %s, block %s"):format(entry.what,
    table.concat(launch.grid, "x"), table.concat(launch.block, "x"))
end

local function sorted_paths(policies)
  local paths = {}
  for path in next, policies do paths[#paths + 1] = path end
  table.sort(paths)
  return paths
end

local function pack(run, image)
  local parts = parts_of(run.description)
  local list = { MAGIC }
  local function add(format, ...) list[#list + 1] = (format):pack(...) end
  add("s8s8s8", core.version, program(), table.concat(parts.base, "\n"))
  local paths = sorted_paths(parts.policies)
  add("<I8", #paths)
  for _, path in ipairs(paths) do add("s8s8", path, parts.policies[path]) end
  add("s8", run.memory:digest())
  add("<I8", #run.history)
  for _, entry in ipairs(run.history) do list[#list + 1] = pack_task(entry) end
  local answers = {}
  for i, ready in ipairs(run.answers) do answers[i] = ready and "1" or "0" end
  add("<s8I8", table.concat(answers), run.steps)
  add("s8", image)
  local text = table.concat(list)
  return text .. core.sha256(text)
end

local function unpack_all(text)
  local at = #MAGIC + 1
  local out = { policies = {}, tasks = {} }
  out.version, out.program, out.base, at = ("s8s8s8"):unpack(text, at)
  local policies, tasks
  policies, at = ("<I8"):unpack(text, at)
  for _ = 1, policies do
    local path
    path, at = ("s8"):unpack(text, at)
    out.policies[path], at = ("s8"):unpack(text, at)
  end
  out.memory, at = ("s8"):unpack(text, at)
  tasks, at = ("<I8"):unpack(text, at)
  for i = 1, tasks do out.tasks[i], at = unpack_task(text, at) end
  out.answers, out.steps, at = ("<s8I8"):unpack(text, at)
  out.image = ("s8"):unpack(text, at)
  out.place = core.image_place(out.image)
  return out
end

local function fail(fmt, ...) session.stop("input", fmt:format(...)) end

-- A file is put over the state of this program, so it is one that the user
-- names, or that this process has written.
local function trusted(path, digest)
  return session.unsafe or session.from == path or
         session.checkpoints[digest] ~= nil
end

local function read(path)
  local file, why = io.open(path, "rb")
  local text = file and file:read("a")
  if file then file:close() end
  if not text then
    fail("the checkpoint '%s' cannot be read: %s", path, why or "?")
  elseif text:sub(1, #MAGIC) ~= MAGIC then
    fail("'%s' is no checkpoint of this version", path)
  end
  local digest = text:sub(-DIGEST)
  if core.sha256(text:sub(1, -DIGEST - 1)) ~= digest then
    fail("the checkpoint '%s' is cut off or was changed", path)
  elseif not trusted(path, digest) then
    fail("the checkpoint '%s' was written by another process; it becomes " ..
         "part of this one, so the command line must name it: --resume %s",
         path, path)
  end
  local ok, out = pcall(unpack_all, text)
  if not ok or not out.place then
    fail("the checkpoint '%s' is torn", path)
  end
  out.path = path
  return out
end

local function first_difference(path, base, saved)
  local i = 0
  for line in (saved .. "\n"):gmatch("([^\n]*)\n") do
    i = i + 1
    if base[i] ~= line then
      local part = 0
      for k = i, 1, -1 do
        if not (base[k] or ""):find("^  ") then part = k break end
      end
      fail("the checkpoint '%s' is of another machine: it has '%s' where " ..
           "this one has '%s' (%s)", path, line:gsub("^ +", ""),
           (base[i] or "nothing"):gsub("^ +", ""), base[part] or "its end")
    end
  end
end

-- Is the file for this program and machine?  Says which policies are the same.
local function compare(saved, description)
  if saved.version ~= core.version or saved.program ~= program() then
    fail("the checkpoint '%s' was written by another program: warploom %s, " ..
         "build %s; this is %s, build %s", saved.path, saved.version,
         saved.program:sub(1, 12), core.version, program():sub(1, 12))
  end
  local parts = parts_of(description)
  first_difference(saved.path, parts.base, saved.base)
  local kept = {}
  for path, text in next, parts.policies do
    if saved.policies[path] == text then kept[path] = true end
  end
  return kept
end

------------------------------------------------------------------------------
-- Saving

local function gone()
  local site = session.site()
  session.stop("workload", ("%s:%d: the statistics of this run are gone: " ..
    "its machine had the addresses of one that went on from a checkpoint " ..
    "later; read them before that"):format(site.file, site.line))
end

-- A machine that goes on lies where the one that was saved did: another one of
-- this script that is there has run, and is closed.
local function vacate(place)
  collectgarbage()
  local run = session.placed[place]
  if not run then return end
  session.placed[place] = nil
  run.stats, run.errors = gone, gone
  run.catalog:close()
  run.machine:close()
end

-- Which run has its machine at a place.
function M.placed(run, place)
  if place then session.placed[place] = run end
end

local function load_saved(checked, description)
  local saved = read(checked.from)
  saved.kept = compare(saved, description)
  checked.saved = saved
  vacate(saved.place)
  return { saved.place }
end

local any_place = {}
for i = 0, 15 do any_place[i + 1] = i end -- LOOM_IMAGE_PLACES

-- To be called before the machine is built: the places to try for it, if it is
-- to have one.  What is wrong goes to the session's problems.
function M.prepare(timeless, checked, description, site)
  if not checked.checkpoint and not checked.from then return nil end
  local where = session.field(site, "run", checked.from and "from" or
                              "checkpoint")
  check(timeless, checked, description, where)
  if #session.problems > 0 or session.mode ~= "run" then return nil end
  if not checked.from then return any_place end
  local ok, places = pcall(load_saved, checked, description)
  if ok then return places end
  if getmetatable(places) ~= session.Stop then error(places, 0) end
  session.problem("run", places.text, where)
end

-- Writes the file, if the machine can be saved now.
local function save(run)
  local checkpoint = run.spec.checkpoint
  local image, text, kind = run.machine:save()
  if not image and kind == "memory" then
    session.stop(kind, text)
  elseif not image then
    run.unsaved = text -- perhaps at the end of the next launch
    return
  end
  local data = pack(run, image)
  local path, why = access.look(checkpoint.file)
  local ok = path
  if path then ok, why = core.durable(path, data) end
  if not ok then
    session.stop("output", ("the checkpoint '%s' cannot be written: %s")
      :format(checkpoint.file, why))
  end
  session.checkpoints[data:sub(-DIGEST)] = true
  run.saved_at, run.saved = core.wall(), (run.saved or 0) + 1
end

-- The host program has nothing under way: is it time?
local function due(run)
  local checkpoint = run.spec.checkpoint
  if checkpoint.after then
    return not run.saved and #run.kernels >= checkpoint.after
  end
  return core.wall() - run.saved_at >= (checkpoint.every or 600)
end

------------------------------------------------------------------------------
-- Going on

local function resume(run)
  local saved = run.replay.saved
  if run.tasks_given ~= #saved.tasks or
     run.replay.answered ~= #saved.answers then
    fail("the program does something else than before the checkpoint '%s': " ..
         "it has %d tasks and has asked %d times whether something is over, " ..
         "where it had %d and %d", saved.path, run.tasks_given,
         run.replay.answered, #saved.tasks, #saved.answers)
  end
  if run.memory:digest() ~= saved.memory then
    fail("the program has computed something else until the checkpoint '%s'",
         saved.path)
  end
  run.replay = nil
  local ok, text = run.machine:load(saved.image, saved.kept)
  if not ok then
    fail("the run cannot go on from the checkpoint '%s': %s", saved.path, text)
  end
  local now = run.machine:now()
  for _, series in ipairs(run.series) do
    series.next = (now // series.period + 1) * series.period
  end
  run.insts_before = math.tointeger(run.machine:total("sm", "warp_insts"))
  run:snapshot("checkpoint", "user")
end

-- A run begins.
function M.begin(run)
  run.history, run.saved_at = run.spec.checkpoint and {}, core.wall()
  run.answers, run.steps = {}, 0
  local saved = run.spec.saved
  if saved then
    run.replay = { saved = saved, answered = 0 }
    run.spec.saved = nil
  end
end

-- Called when the host program has given a launch, or waits and has nothing
-- under way: at the same points of the program in each run.
function M.step(run)
  run.steps = run.steps + 1
  if run.replay then
    if run.steps == run.replay.saved.steps then resume(run) end
  elseif run.spec.checkpoint and #run.pending == 0 and not run.reads_time and
         due(run) then
    save(run)
  end
end

-- A task is given; while the past is repeated it has what it had.
function M.task(run, entry, fields)
  if run.history then
    run.history[run.tasks_given] = entry
    if entry.launch and entry.launch.facts.timed then
      run.reads_time = entry.launch.name
    end
  end
  local replay = run.replay
  if not replay then return end
  local task = replay.saved.tasks[run.tasks_given]
  if not task or task.what ~= M.name_of(entry) then
    fail("the program does something else than before the checkpoint '%s': " ..
         "its task %d is %s, and was %s", replay.saved.path, run.tasks_given,
         M.name_of(entry), task and task.what or "none")
  end
  entry.done, entry.moment = true, task.moment
  for _, name in ipairs(numbers) do fields[name] = task[name] end
end

-- Whether something was over when the host program asked.
function M.answered(run)
  local replay = run.replay
  replay.answered = replay.answered + 1
  local ready = replay.saved.answers:sub(replay.answered, replay.answered)
  if ready == "" then
    fail("the program does something else than before the checkpoint '%s': " ..
         "it asks once more whether something is over", replay.saved.path)
  end
  if run.history then run.answers[#run.answers + 1] = ready == "1" end
  return ready == "1"
end

-- A launch of the past is about to be executed.
function M.launch(run, launch)
  if launch.facts.timed then
    fail("'%s' reads the time, which it would be told otherwise: a run with " ..
         "it cannot go on from the checkpoint '%s'", launch.name,
         run.replay.saved.path)
  end
end

-- The host program has ended.
function M.finish(run)
  if run.replay then
    fail("the program ends before the checkpoint '%s': it has %d tasks, " ..
         "expected %d", run.replay.saved.path, run.tasks_given,
         #run.replay.saved.tasks)
  elseif run.spec.checkpoint and not run.saved and
         (run.spec.checkpoint.after or run.unsaved or run.reads_time) then
    local why = run.unsaved or run.reads_time and
      ("'%s' reads the time, which would be another one when the past is " ..
       "repeated"):format(run.reads_time) or
      #run.kernels < (run.spec.checkpoint.after or 0) and
      ("there are %d launches"):format(#run.kernels) or
      "at the end of no launch was there nothing else under way"
    session.warn("run", "no checkpoint was written: " .. why, run.site)
  end
end

return M
