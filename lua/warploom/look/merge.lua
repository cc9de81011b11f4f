-- warploom merge: runs side by side in one file, of the form that a sweep's
-- merged file has, with one axis, `run`.

local import = ...
local core = import "core"
local results = import "look/results"
local merged = import "look/merged"
local plot = import "look/plot"
local point_module = import "sweep/point"
local writing = import "sweep/merge"

local M = {}

local metrics = {
  { name = "cycles", unit = "cycle", doc = "Cycles of the run",
    value = function(file)
      return file:samples()[file:sample()].cycle
    end },
  { name = "seconds", unit = "s", doc = "Simulated time",
    value = function(file) return file:samples()[file:sample()].time end },
  { name = "warp_insts", unit = "warp_inst", doc = "Warp instructions",
    value = function(file)
      for _, stat in ipairs(file:stats()) do
        local prefix = stat.name:match("^(.*%.)warp_insts$")
        if prefix and file:find(prefix .. "issue_slots") then
          return file:number(stat.name)
        end
      end
    end },
}

-- "a,b" and "a=b" cannot be names of points.
local function clean(name) return (name:gsub("[,=%c]", "_")) end

local function point_of(file, name, number)
  local point = { names = { run = name }, label = "run=" .. name,
                  number = number, state = "done", file = file.path, key = "",
                  result = { digest = file.attributes.state_digest or "",
                             metrics = {} } }
  for _, fact in ipairs(point_module.facts) do
    point.result[fact] = file.attributes[fact]
  end
  for _, metric in ipairs(metrics) do
    local value = metric.value(file)
    point.result.metrics[metric.name] = value and value + 0.0 or 0 / 0
  end
  return point
end

-- An experiment as sweep/merge.lua knows it.
local function experiment_of(files)
  local axis = { name = "run", names = {}, value = {} }
  local e = { axes = { axis }, points = {}, metrics = metrics }
  for i, name in ipairs(plot.names(files)) do
    name = clean(name)
    if axis.value[name] then
      results.refuse("'%s' and another file would both be called '%s'",
                     files[i].path, name)
    end
    axis.names[i], axis.value[name] = name, true
    e.points[i] = point_of(files[i], name, i)
  end
  return e
end

local columns = {
  { "path", "The run's file", function(file) return file.path end },
  { "workload", "What ran",
    function(file) return file.attributes.workload or "" end },
  { "machine", "On what it ran",
    function(file) return file.attributes.machine or "" end },
  { "status", "How it ended",
    function(file) return file.attributes.status or "" end },
}

local function fill(writer, files, e)
  writer:attribute("/", "format", "warploom-sweep")
  writer:attribute("/", "format_version", core.layout)
  writer:attribute("/", "experiment", "merge")
  writer:attribute("/", "long_name", "Runs side by side")
  writer:attribute("/", "version", core.version)
  writer:attribute("/", "axes", { "run" })
  writer:attribute("/", "status", "complete")
  writing.put_points(writer, e)
  for _, column in ipairs(columns) do
    local values = {}
    for i, file in ipairs(files) do values[i] = column[3](file) end
    writer:add { path = "/points/" .. column[1], type = "text",
                 scales = { "/point" }, values = values, doc = column[2] }
  end
  writing.put_metrics(writer, e)
  return writing.put_stats(writer, { experiment = e })
end

local function run(paths, out)
  local files = plot.open(paths)
  for i, file in ipairs(files) do
    merged.refuse_any({ file }, "it is a merged file already; merge takes " ..
                      "files of single runs")
    file:sample() -- refuses a file without snapshots
    for k = 1, i - 1 do
      if paths[k] == file.path then
        results.refuse("'%s' is named twice", file.path)
      end
    end
    if file.path == out then
      results.refuse("'%s' is one of the files to be merged", out)
    end
  end
  local e = experiment_of(files)
  local writer, why = core.writer(out)
  if not writer then return 5, why end
  local ok
  ok, why = fill(writer, files, e)
  if not ok then
    writer:abandon()
    return 1, why
  end
  ok, why = writer:close()
  return ok and 0 or 5, why
end

function M.main(words, options)
  local paths, patterns = plot.sort(words)
  if #paths == 0 or #patterns > 0 then
    return nil, #patterns > 0 and
      ("merge takes results files; '%s' is none"):format(patterns[1]) or
      "merge needs results files"
  end
  local out = options.out or "merged.h5"
  local status, why = results.guard(run, paths, out)
  if why or status ~= 0 then
    io.stderr:write("warploom: ", why or "", "\n")
    return status or 1
  end
  if not options.quiet then
    print(("wrote %s: %d runs"):format(out, #paths))
  end
  return 0
end

return M
