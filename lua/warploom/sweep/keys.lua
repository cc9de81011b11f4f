-- What the points of a sweep depend on, and which of them are done.

local import = ...
local core = import "core"
local record_file = import "recording/file"
local session = import "script/session"
local timed = import "run/timed"
local point_module = import "sweep/point"

local M = {}

local KEY_DIGITS = 20

-- Where a sweep's results go.
function M.folder(experiment, options)
  return options.out or experiment.name .. ".sweep"
end

------------------------------------------------------------------------------
-- What a point depends on

-- Everything that is common to all points.
local function ground(options)
  local parts = { "warploom " .. core.version, "program " ..
                  record_file.program(),
                  "seed " .. session.seed,
                  "functional " .. tostring(session.functional),
                  "interleave " .. session.interleave,
                  "sample " .. tostring(session.sample),
                  "timed " .. table.concat(timed.words(session.timed), " ") }
  if options.resume then
    parts[#parts + 1] = "from " .. (core.kind(options.resume) == "file" and
                                    core.file_digest(options.resume) or "none")
  end
  local folder = os.getenv("WARPLOOM_LUA")
  if folder then parts[#parts + 1] = "library " .. folder end
  local names = {}
  for name in next, options.set do names[#names + 1] = name end
  table.sort(names)
  for _, name in ipairs(names) do
    parts[#parts + 1] = ("set %s %s"):format(name, options.set[name])
  end
  for i, word in ipairs(session.argv) do
    parts[#parts + 1] = ("argument %d %s"):format(i, word)
  end
  local sources = table.move(session.source_names, 1, #session.source_names,
                             1, {})
  table.sort(sources)
  for _, name in ipairs(sources) do
    parts[#parts + 1] = ("source %s %s"):format(name,
      core.sha256(session.sources[name]))
  end
  for _, plugin in ipairs(session.plugins) do
    parts[#parts + 1] = ("plugin %s %s"):format(plugin.path, plugin.sha256)
  end
  return core.sha256(table.concat(parts, "\n"))
end

function M.set(sweep, options)
  local common = ground(options)
  for _, point in ipairs(sweep.experiment.points) do
    point.key = core.sha256(common .. "\n" .. point.label)
    local base = ("%s/points/%s"):format(sweep.folder,
                                         point.key:sub(1, KEY_DIGITS))
    point.file, point.note = base .. ".h5", base .. ".note"
    point.log = base .. ".log"
  end
end

------------------------------------------------------------------------------
-- Which points are done

-- Digests of files, each read once.
function M.digests()
  local known = {}
  return function(path)
    if known[path] == nil then
      known[path] = core.kind(path) == "file" and core.file_digest(path) or
                    false
    end
    return known[path] or nil
  end
end

function M.look(point, digest)
  local note = point_module.read(point.note)
  if point_module.holds(note, point.key, point.file, digest) then
    point.state, point.result = "done", note
    return true
  end
end

-- What a merged file is made of, as a digest; nil where it is not known, or
-- not all there yet.
function M.merged(sweep)
  if os.getenv("WARPLOOM_LUA") then return nil end
  local parts = { table.concat(sweep.statistics or { "all" }, " ") }
  for _, point in ipairs(sweep.experiment.points) do
    if point.state ~= "done" then return nil end
    parts[#parts + 1] = point.key .. " " ..
                        (core.file_digest(point.note) or "none")
  end
  return core.sha256(table.concat(parts, "\n"))
end

-- For what checks points (experiment.lua): function(e, points) gives those
-- that have not run.  A point that ran had no mistake, and its key says what
-- it depends on.
function M.sound(options)
  return function(e, points)
    M.set({ experiment = e, folder = M.folder(e, options) }, options)
    local left, digest = {}, M.digests()
    for _, point in ipairs(points) do
      if not point_module.holds(point_module.read(point.note), point.key,
                                point.file, digest) then
        left[#left + 1] = point
      end
    end
    return left
  end
end

return M
