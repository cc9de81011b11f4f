-- How sure numbers of a sampled run are: standard errors of what it counted,
-- from the run or from its results file, and of what is made of them.

local import = ...
local session = import "script/session"
local results = import "look/results"

local M = {}

------------------------------------------------------------------------------
-- From a results file

-- Which instances `path` names: nil for the sum over a group's, else the row of
-- one, or 0 where it is not one.
local function row_of(file, group, path, name)
  local plain = path:gsub("%.", "/")
  if plain == group then return nil end
  local item = file.by_path["/stats/" .. group .. "/" .. name] or
               file.by_path["/stats/" .. group .. "/" .. name .. "_hist"]
  local row = 0
  for i, instance in ipairs(item and file:labels(file:axes(item)[2]) or {}) do
    if results.instance_matches(plain, instance:gsub("%.", "/")) then
      row = row == 0 and i or -1
    end
  end
  return math.max(row, 0)
end

-- The errors of a dataset at the last sample, as a list; nothing if it is
-- exact.
local function last(file, path, row)
  local item = file.by_path[path .. (row and "_stderr" or "_total_stderr")]
  if not item then return {}, nil end
  local values = file:values(item.path, item.dims[1] - 1, 1)
  if type(values) ~= "table" then values = { values } end
  if not row then return values, item.dims[2] and file:axes(item)[2] end
  local width = item.dims[3] or 1
  local out = {}
  for i = 1, width do
    out[i] = row > 0 and values[(row - 1) * width + i] or 0 / 0
  end
  return out, item.dims[3] and file:axes(item)[3]
end

-- The errors of what `value` has, which catalog:query() gave.
local function like(file, group, path, name, value)
  local at, row = "/stats/" .. group .. "/" .. name,
                  row_of(file, group, path, name)
  if type(value) ~= "table" then return last(file, at, row)[1] or 0.0 end
  local out, histogram = {}, value.count ~= nil and value.sum ~= nil
  for key in next, value do out[key] = 0.0 end
  local errors, axis = last(file, histogram and at .. "_hist" or at, row)
  for i, err in ipairs(errors) do
    local named = not histogram and axis and value[i - 1] == nil
    out[named and file:labels(axis)[i] or i - 1] = err
  end
  if histogram then
    out.min, out.max = nil, nil
    for _, part in ipairs { "count", "sum" } do
      out[part] = last(file, at .. "_" .. part, row)[1] or 0.0
    end
  end
  return out
end

-- What `catalog:error(path, name)` is for a run that was made before.
function M.reader(run, catalog)
  local file, why = results.open(run.file)
  if not file then session.stop("input", why) end
  return function(path, name)
    local group, text = catalog:group(path)
    local value
    if group then value, text = catalog:query(path, name) end
    if value == nil then return nil, text end
    return results.guard(like, file, group:gsub("%.", "/"), path, name, value)
  end
end

------------------------------------------------------------------------------
-- Of what is made of numbers: f(run) is asked again with each number that it
-- read one standard error higher and lower.

-- Time and energy of the run, and what is made of them.
local function of_run(view, name)
  local run = view.run
  local function moved(key, value, error)
    return view.key == key and value + view.by * error or value
  end
  local seconds = moved("time", run.seconds, run.seconds_error)
  if name == "seconds" then return seconds end
  if name == "cycles" then
    return moved("time", run.cycles, run.cycles_error)
  end
  local energy = moved("energy", run.energy, run.energy_error)
  if name == "energy" then return energy end
  return name == "power" and energy / seconds or energy * seconds
end
local made_of = { seconds = { "time" }, cycles = { "time" },
                  energy = { "energy" }, power = { "time", "energy" },
                  energy_delay = { "time", "energy" } }

local function add(seen, key)
  if not seen[key] then
    seen[key] = true
    seen[#seen + 1] = key
  end
end

-- A statistic as f sees it while `key` is moved by so many of its errors.
local function seen_stat(view, path, name)
  local value = view.run.stats(path)[name]
  local errors = view.run.errors(path)[name]
  local prefix = path .. "\0" .. name
  local function one(key, v, error)
    if not error or error == 0 then return v end
    add(view.seen, key)
    return key == view.key and v + view.by * error or v
  end
  if type(value) ~= "table" then return one(prefix, value, errors) end
  local out = {}
  for k, v in next, value do
    out[k] = one(prefix .. "\0" .. tostring(k), v, rawget(errors, k))
  end
  return setmetatable(out, getmetatable(value))
end

local function view_of(run, seen, key, by)
  local view = { run = run, seen = seen, key = key, by = by }
  return setmetatable({}, { __name = "run", __index = function(_, name)
    if made_of[name] then
      for _, one in ipairs(made_of[name]) do add(seen, one) end
      return of_run(view, name)
    elseif name ~= "stats" then
      return run[name]
    end
    return function(path)
      local _ = run.stats(path) -- a part that is not there is a mistake here
      return setmetatable({}, { __name = "statistics",
        __index = function(_, stat) return seen_stat(view, path, stat) end })
    end
  end })
end

-- The standard error of the number f(run), as far as it comes from the numbers
-- that f reads, as if they were independent; 0 if all of them are exact, NaN if
-- nobody can tell the error of one.
function M.of(run, f)
  if run.sampled == 0 then return 0.0 end
  local seen, sum = {}, 0.0
  f(view_of(run, seen))
  table.sort(seen)
  for _, key in ipairs(seen) do
    local half = (f(view_of(run, {}, key, 1)) -
                  f(view_of(run, {}, key, -1))) / 2
    sum = sum + half * half
  end
  return math.sqrt(sum)
end

return M
