-- loom.replay "x.wlt": a recording as a workload for any machine.

local import = ...
local core = import "core"
local session = import "session"
local files = import "files"
local unit = import "unit"
local poison = import "poison"

local M = {}

local function try(value, text, kind)
  if value == nil then session.stop(kind or "input", text) end
  return value
end

local function launch(dev, program, recorded)
  local made = try(program:launch {
    kernel = recorded.key, grid = recorded.grid, block = recorded.block,
    shared = 0, registers = 0, number = dev.launches, params = "" })
  local number = dev.launches
  dev.launches = number + 1
  return dev.run:execute { kernel = made, name = recorded.kernel,
                           grid = recorded.grid, block = recorded.block,
                           number = number, stream = recorded.stream }
end

-- What the recorded host program did, as far as a machine can tell.
local function replay(dev, path)
  local recording = try(core.recording(path))
  local launches, events = recording:launches(), recording:events()
  local notes = {}
  for _, note in ipairs(recording:notes()) do notes[note.name] = note.value end
  recording:close()
  local digest, bytes = core.file_digest(path)
  local run = dev.run
  run.inputs[#run.inputs + 1] = { path = path, sha256 = digest,
                                  bytes = bytes }
  run.memory_digest = notes.memory_digest
  local program = try(core.program(dev.memory, "replay", path, path))
  run.programs[#run.programs + 1] = program
  for _, event in ipairs(events) do
    if event.kind == "launch" then
      launch(dev, program, launches[event.launch + 1])
    elseif event.kind == "snapshot" then
      dev:snapshot(event.name)
    elseif event.kind == "verified" then
      dev:verified(("when it was recorded: %s"):format(event.name))
    end
  end
end

local function exists(path)
  return core.kind(path) == "file"
end

function M.replay(path)
  local site = session.site()
  if type(path) ~= "string" then
    session.problem("replay", ("got %s, expected the path of a recording: " ..
      "loom.replay \"x.wlt\""):format(unit.quote(path)), site)
    return poison
  end
  local places = files.places(path, site.file)
  local found
  for _, place in ipairs(places) do
    if not found and exists(place) then found = place end
  end
  if not found then
    session.problem("replay", ("recording '%s' is not found; tried %s"):format(
      path, table.concat(places, ", ")), site)
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
