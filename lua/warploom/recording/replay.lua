-- loom.replay "x.wlt": a recording as a workload for any machine.

local import = ...
local core = import "core"
local session = import "script/session"
local files = import "script/files"
local queue = import "host/queue"
local record_file = import "recording/file"
local unit = import "base/unit"
local poison = import "base/poison"

local M = {}

local function try(value, text, kind)
  if value == nil then session.stop(kind or "input", text) end
  return value
end

local function launch(dev, program, recorded, from)
  local made = try(program:launch {
    kernel = recorded.key, grid = recorded.grid, block = recorded.block,
    shared = 0, registers = 0, number = dev.launches, params = "" })
  local number = dev.launches
  dev.launches = number + 1
  return queue.launch(dev.run, {
    kernel = made, name = recorded.kernel, grid = recorded.grid,
    block = recorded.block, number = number, stream = recorded.stream,
    registers_from = from })
end

-- What the host program did besides launching.  Tasks are known by their
-- place among all tasks; memory is left alone.
local others = {}

local kinds = { upload = "write", download = "read", fill = "fill",
                copy = "move", gather = "gather" }
for name, kind in next, kinds do
  others[name] = function(dev, event)
    return queue.copy(dev.run, {
      kind = kind, address = event.address, bytes = event.bytes,
      name = event.name, stream = event.stream, silent = true })
  end
end

function others.mark(dev, event) return queue.mark(dev.run, event.stream) end

function others.wait(dev, event, tasks)
  return queue.wait(dev.run, event.stream, tasks[event.address])
end

function others.sync(dev, event, tasks)
  if event.address > 0 then
    tasks[event.address]:sync()
  else
    queue.sync(dev.run, event.stream > 0 and event.stream or nil)
  end
end

function others.snapshot(dev, event) dev:snapshot(event.name) end

function others.verified(dev, event)
  dev:verified(("when it was recorded: %s"):format(event.name))
end

function others.alloc(dev, event)
  record_file.event(dev.run, "alloc", event.address, event.bytes, event.name)
end

function others.free(dev, event)
  record_file.event(dev.run, "free", event.address, event.bytes, event.name)
end

-- What the recorded host program did, as far as a machine can tell.
local function replay(dev, path)
  local recording = try(core.recording(path))
  local launches, events = recording:launches(), recording:events()
  local notes = {}
  for _, note in ipairs(recording:notes()) do notes[note.name] = note.value end
  recording:close()
  local digest, bytes = files.digest(path)
  local run = dev.run
  run.inputs[#run.inputs + 1] = { path = path, sha256 = digest,
                                  bytes = bytes }
  run.memory_digest = notes.memory_digest
  local from = record_file.registers_list(notes.registers_from, #launches)
  local program = try(core.program(dev.memory, "replay", path, path))
  run.programs[#run.programs + 1] = program
  local tasks = {}
  for i, event in ipairs(events) do
    local known = tasks[event.address] or event.address == 0
    if (event.kind == "wait" or event.kind == "sync") and not known then
      session.stop("input", ("recording '%s' is damaged: event %d is about " ..
                   "task %d, which is none"):format(path, i, event.address))
    end
    if event.kind == "launch" then
      tasks[#tasks + 1] = launch(dev, program, launches[event.launch + 1],
                                 from[event.launch + 1])
    else
      tasks[#tasks + 1] = others[event.kind](dev, event, tasks)
    end
  end
end

function M.replay(path)
  local site = session.site()
  if type(path) ~= "string" then
    session.problem("replay", ("got %s, expected the path of a recording: " ..
      "loom.replay \"x.wlt\""):format(unit.quote(path)), site)
    return poison
  end
  local found, tried = files.where(path, site.file)
  if not found then
    session.problem("replay", ("recording '%s' is not found; tried %s"):format(
      path, tried), site)
    return poison
  end
  -- A damaged file is found before anything is built.
  local recording, text = core.recording(found)
  if not recording then
    session.problem("replay", text, site)
    return poison
  end
  recording:close()
  return setmetatable({
    name = found:match("([^/]+)$"):gsub("%.wlt$", ""), path = found,
    values = { recording = found },
    run = function(dev) replay(dev, found) end,
  }, { __name = "workload" })
end

return M
