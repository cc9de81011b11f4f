-- Streams that the points of a sweep share: a folder of recordings, each
-- named by a digest of all that its streams depend on.
--
-- The first point with a workload records it while it runs; later ones replay
-- the recording, which gives the same statistics (docs/recordings.md).  Safe
-- with any number of processes: a recording gets its name when it is complete
-- on the disk, is checked before it is used, and only one process writes or
-- makes room at a time.  Whoever finds it busy runs without it.

local import = ...
local core = import "core"
local session = import "script/session"
local record_file = import "recording/file"
local replay = import "recording/replay"

local M = {}

local MOST_BYTES = 4 << 30

local function whole(path)
  local recording = core.recording(path)
  if not recording then return false end
  local ok = recording:verify()
  recording:close()
  return ok and true or false
end

-- Removes what was not used for longest until there is room.
local function make_room(folder)
  local files, sum = {}, 0
  for _, name in ipairs(core.list(folder)) do
    if name:find("%.wlt$") then
      local bytes, age = core.size(folder .. "/" .. name)
      if bytes then
        files[#files + 1] = { name = name, bytes = bytes, age = age }
        sum = sum + bytes
      end
    end
  end
  table.sort(files, function(a, b)
    if a.age ~= b.age then return a.age > b.age end
    return a.name < b.name
  end)
  for _, file in ipairs(files) do
    if sum <= MOST_BYTES then break end
    core.remove(folder .. "/" .. file.name)
    sum = sum - file.bytes
  end
end

local function nothing() end

-- The run is complete: its recording, if there is one, gets its name.
local function keeper(folder, path, lock)
  return function(run)
    session.record = nil
    if run.status == "complete" and core.kind(path .. ".working") then
      core.move(path .. ".working", path)
      local room = core.lock(folder .. "/room.lock")
      if room then
        make_room(folder)
        room:close()
      end
    end
    core.remove(path .. ".working")
    core.remove(path .. ".lock")
    lock:close()
  end
end

-- Before a run: `spec` gets a recording as its workload if there is one, or
-- is recorded.  Returns what to call with the run afterwards.  Workloads that
-- scripts make themselves may depend on anything, so only those of the suite
-- are shared.
function M.prepare(spec, facts)
  local folder = session.point and session.point.cache
  -- What goes on from a checkpoint computes its past, and is compared.
  if not folder or not spec.workload.suite or spec.transform or
     spec.checkpoint or spec.from or os.getenv("WARPLOOM_LUA") then
    return nothing
  end
  core.mkdir(folder)
  local key = core.sha256(record_file.key_before(spec, facts) .. "\n" ..
                          record_file.program())
  local path = ("%s/%s.wlt"):format(folder, key:sub(1, 24))
  if core.kind(path) == "file" then
    if whole(path) then
      core.touch(path)
      local workload = spec.workload
      spec.workload = { name = workload.name, values = workload.values,
                        run = replay.replay(path).run }
      return nothing
    end
    core.remove(path)
  end
  local lock = not next(spec.stop) and core.lock(path .. ".lock")
  if not lock then return nothing end
  session.record = path .. ".working"
  return keeper(folder, path, lock)
end

return M
