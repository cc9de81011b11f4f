-- A results file as the commands that look at files see it: statistics by
-- dotted name with their axes, the values of a snapshot, series, kernels,
-- parameters.
--
-- A file of one run has /stats[sample, instance, axis].  A merged file has
-- more axes in front, and no samples.

local import = ...
local core = import "core"
local suggest = import "base/suggest"

local M = {}

local File = {}
File.__index = File

-- Parts of a dotted name against parts of a pattern; `**` is any number.
local function match_parts(pattern, i, name, k)
  while i <= #pattern do
    if pattern[i] == "**" then
      for at = k, #name + 1 do
        if match_parts(pattern, i + 1, name, at) then return true end
      end
      return false
    end
    if k > #name then return false end
    local lua = pattern[i]:gsub("[%^%$%(%)%%%.%[%]%+%-]", "%%%0")
    lua = lua:gsub("%*", ".*"):gsub("%?", ".")
    if not name[k]:find("^" .. lua .. "$") then return false end
    i, k = i + 1, k + 1
  end
  return k == #name + 1
end

local function split(text)
  local parts = {}
  for part in text:gmatch("[^./]+") do parts[#parts + 1] = part end
  return parts
end

-- "gpu.sm.l1d.*miss*", "**.misses", "misses" (anywhere), "gpu.sm" (all in it).
function M.matches(pattern, name)
  local p, n = split(pattern), split(name)
  if match_parts(p, 1, n, 1) then return true end
  local below = table.move(p, 1, #p, 1, {})
  below[#below + 1] = "**"
  if match_parts(below, 1, n, 1) then return true end
  return #p == 1 and match_parts({ "**", p[1] }, 1, n, 1)
end

-- "gpu.sm[3].l1d.misses" -> "gpu.sm.l1d.misses" and "gpu.sm[3].l1d"; no
-- second result if the pattern has no index.
local function strip_indices(pattern)
  if not pattern:find("%[%d+%]") then return pattern end
  local instance = pattern:match("^(.*)[./][^./]+$") or pattern
  return (pattern:gsub("%[%d+%]", "")), instance
end

-- Does the path of an instance agree with a pattern that may leave indices
-- out?
local function instance_matches(pattern, path)
  local p, n = split(pattern), split(path)
  if #p ~= #n then return false end
  for i, part in ipairs(p) do
    if part:find("%[") and part ~= n[i] or
       part:gsub("%[.*", "") ~= n[i]:gsub("%[.*", "") then
      return false
    end
  end
  return true
end

M.instance_matches = instance_matches

local function last_part(path) return path:match("([^/]+)$") end

-- Opens a file; nil and why on failure.
function M.open(path)
  local browser, why = core.browse(path)
  if not browser then return nil, why end
  local self = setmetatable({ path = path, browser = browser, by_path = {},
                              by_reference = {}, named = {} }, File)
  self.items = browser:items()
  for number, item in ipairs(self.items) do
    item.number = number
    self.by_path[item.path] = item
    self.by_reference[item.reference] = self.by_reference[item.reference] or
                                        item
  end
  self.attributes, why = browser:attributes "/"
  if not self.attributes then
    browser:close()
    return nil, why
  end
  self.meta, why = browser:attributes "/meta"
  if not self.meta and not why:find("' has no '", 1, true) then
    browser:close()
    return nil, why
  end
  self.meta = self.meta or {}
  why = self:damage()
  if why then
    browser:close()
    return nil, ("'%s' is damaged: %s"):format(path, why)
  end
  return self
end

-- What of a file's head is not as it is written, or nil.
function File:damage()
  for _, attributes in ipairs { self.attributes, self.meta } do
    for name, value in next, attributes do
      if type(value) == "table" and name ~= "axes" and name ~= "argv" then
        return ("its attribute '%s' is a list"):format(name)
      end
    end
  end
  for _, name in ipairs { "title", "experiment", "workload", "machine",
                          "status", "created", "state_digest", "long_name" } do
    local value = self.attributes[name]
    if value ~= nil and type(value) ~= "string" then
      return ("its attribute '%s' is no text"):format(name)
    end
  end
  local axes = self.attributes.axes
  for _, name in ipairs(type(axes) == "table" and axes or { axes }) do
    if type(name) ~= "string" then return "its axes have no names" end
  end
  if self.attributes.format == "warploom-stats" then
    for _, name in ipairs { "sample", "time", "label" } do
      local item = self.by_path["/stats/" .. name]
      if not item or #item.dims ~= 1 then
        return ("cannot read /stats/%s"):format(name)
      end
    end
  end
end

-- Attributes of an object that is there.
function File:attributes_of(path)
  local list, why = self.browser:attributes(path)
  if not list then M.refuse("%s", why) end
  return list
end

function File:close()
  for _, reader in next, self.readers or {} do reader:close() end
  self.readers = nil
  self.browser:close()
end

function File:has(path) return self.by_path[path] ~= nil end

local damaged = {}

-- Values at a path, all or some rows of them; an error is thrown as a table
-- that M.guard turns into a message.
function File:values(path, first, rows)
  local item = self.by_path[path]
  if not item then
    error(setmetatable({ text = ("'%s' has no '%s'"):format(self.path, path) },
                       damaged), 0)
  end
  local values, why = self.browser:read(item.number, first, rows)
  if values == nil then error(setmetatable({ text = why }, damaged), 0) end
  return values
end

-- The values of a dataset of one dimension, which are all of a type: "string"
-- or "number"; `count` of them, if it is given.
function File:list(path, kind, count)
  local item, values = self.by_path[path], self:values(path)
  if type(values) ~= "table" or #item.dims ~= 1 or
     count and #values ~= count or
     #values > 0 and type(values[1]) ~= kind then
    error(setmetatable({ text = ("'%s' is damaged: %s is not a list of %s")
                        :format(self.path, path, kind == "string" and "texts" or
                                "numbers, or of another length") }, damaged), 0)
  end
  return values
end

-- Calls f(...); results, or nil and why if a file could not be read.
function M.guard(f, ...)
  local results = table.pack(xpcall(f, function(e)
    if getmetatable(e) == damaged then return e end
    return debug.traceback(e, 2)
  end, ...))
  if results[1] then return table.unpack(results, 2, results.n) end
  if getmetatable(results[2]) == damaged then return nil, results[2].text end
  error(results[2], 0)
end

-- What is wrong with a request, as guard reports it.
function M.refuse(fmt, ...)
  error(setmetatable({ text = core.tame(fmt:format(...)) }, damaged), 0)
end

-- A command prints the lines that f(...) returns, or says why it cannot: its
-- exit status.
function M.show(f, ...)
  local lines, why = M.guard(f, ...)
  if not lines then
    io.stderr:write("warploom: ", core.tame(why), "\n")
    return 1
  end
  print(table.concat(lines, "\n"))
  return 0
end

-- The same of a file of one run, of f(file).
function M.show_run(path, command, f)
  return M.show(function()
    local file, why = M.open(path)
    if not file then M.refuse("%s", why) end
    import "look/merged".refuse_any({ file }, ("warploom %s takes a file of " ..
      "one run"):format(command))
    return f(file)
  end)
end

-- The scale of each dimension: { name =, path =, labels = function }.
function File:axes(item)
  if item.axes then return item.axes end
  local references, why = self.browser:scales(item.number)
  if not references then M.refuse("%s", why) end
  item.axes = {}
  for i, reference in ipairs(references) do
    local scale = self.by_reference[reference]
    if reference ~= 0 and not scale then
      M.refuse("'%s' is damaged: dimension %d of %s is of no dataset",
               self.path, i, item.path)
    end
    item.axes[i] = { name = scale and last_part(scale.path) or "dim_" .. i,
                     length = item.dims[i], scale = scale }
  end
  return item.axes
end

-- Names of the rows of a table by load, which has them beside its axis.
local function loads_of(self, axis)
  local group = axis.scale.path:match("^(.*/)load$")
  if not group or not self.by_path[group .. "text"] then return nil end
  local names = self:list(group .. "kernel", "string", axis.length)
  local lines = self:list(group .. "line", "number", axis.length)
  local pcs = self:list(group .. "pc", "number", axis.length)
  local out = {}
  for i, name in ipairs(names) do
    out[i] = name ~= "" and ("%s, line %d, PC 0x%x"):format(name, lines[i],
                                                            pcs[i]) or nil
  end
  return out
end

-- What the entries of an axis are called, and whether these are names rather
-- than numbers.
function File:labels(axis)
  if not axis.labels then
    axis.labels = {}
    local values = axis.scale and #axis.scale.dims == 1 and
                   self:values(axis.scale.path) or {}
    axis.named = axis.scale ~= nil and axis.scale.type == "text"
    local loads = axis.scale and loads_of(self, axis) or {}
    for i = 1, axis.length do
      axis.labels[i] = loads[i] or tostring(values[i] or i - 1)
    end
  end
  return axis.labels, axis.named
end

local function as_stat(self, item, attributes, name)
  for _, key in ipairs { "units", "long_name", "kind" } do
    if type(attributes[key]) ~= "string" then
      M.refuse("'%s' is damaged: %s has no '%s'", self.path, item.path, key)
    end
  end
  if #item.dims > 3 or item.type ~= "int" and item.type ~= "float" then
    M.refuse("'%s' is damaged: %s has another type or shape than any of ours",
             self.path, item.path)
  end
  return { item = item, name = name, path = item.path, unit = attributes.units,
           doc = attributes.long_name, kind = attributes.kind,
           inputs = type(attributes.inputs) == "table" and attributes.inputs or
                    nil, formula = attributes.formula,
           is_float = item.type == "float", edges = attributes.edges,
           file = self }
end

-- Statistics in the group `root` ("/stats", "/series/bw").
function File:stats(root)
  root = root or "/stats"
  self.lists = self.lists or {}
  local list = self.lists[root]
  if list then return list end
  list = {}
  for _, item in ipairs(self.items) do
    if item.path:sub(1, #root + 1) == root .. "/" and #item.dims >= 2 then
      local attributes = self:attributes_of(item.path)
      if attributes.kind then
        local name = item.path:sub(#root + 2):gsub("/", ".")
        list[#list + 1] = as_stat(self, item, attributes, name)
      end
    end
  end
  self.lists[root] = list
  return list
end

-- Groups that have all of these statistics, whatever the machine's parts are
-- called: "gpu.sm.l1d."
function File:groups_with(...)
  local out, wanted = {}, { ... }
  for _, stat in ipairs(self:stats()) do
    local prefix = stat.name:match("^(.*%.)[^.]+$") or ""
    if stat.name == prefix .. wanted[1] then
      local all = true
      for i = 2, #wanted do
        all = all and self:find(prefix .. wanted[i]) ~= nil
      end
      if all then out[#out + 1] = prefix end
    end
  end
  return out
end

-- The names of the series.
function File:series()
  local names, seen = {}, {}
  for _, item in ipairs(self.items) do
    local name = item.path:match("^/series/([^/]+)/")
    if name and not seen[name] then
      seen[name] = true
      names[#names + 1] = name
    end
  end
  return names
end

-- The statistic of a name, or nil.
function File:find(name, root)
  root = root or "/stats"
  local by_name = self.named[root]
  if not by_name then
    by_name = {}
    for _, stat in ipairs(self:stats(root)) do by_name[stat.name] = stat end
    self.named[root] = by_name
  end
  return by_name[name]
end

-- Statistics that a pattern selects: { stat =, instance = pattern or nil }.
-- "bw:gpu.dram.bytes" looks in the series bw.
function File:select(pattern)
  local series, rest = pattern:match("^([%w_]+):(.+)$")
  local root = series and "/series/" .. series or "/stats"
  local plain, instance = strip_indices(rest or pattern)
  local found, names = {}, {}
  for _, stat in ipairs(self:stats(root)) do
    names[#names + 1] = (series and series .. ":" or "") .. stat.name
    if M.matches(plain, stat.name) then
      found[#found + 1] = { stat = stat, instance = instance, series = series }
    end
  end
  if #found == 0 then
    local best = suggest.nearest(pattern, names)
    M.refuse("'%s' has no statistic '%s'%s", self.path, pattern, best and
             ("; did you mean '%s'?"):format(best) or
             "; warploom stats lists them")
  end
  return found
end

-- Snapshots: { label =, time =, cycle = } from 1 on.
function File:samples()
  if not self.snapshots then
    self.snapshots = {}
    if self:has("/stats/label") then
      local labels = self:list("/stats/label", "string")
      local times = self:list("/stats/time", "number", #labels)
      local cycles = self:has("/stats/cycle") and
                     self:list("/stats/cycle", "number", #labels)
      for i, label in ipairs(labels) do
        self.snapshots[i] = { label = label, time = times[i],
                              cycle = cycles and cycles[i] }
      end
    end
  end
  return self.snapshots
end

-- The number (from 1) of the snapshot called `which`: nil the last, a label,
-- or a number from 0.
function File:sample(which)
  local samples = self:samples()
  if #samples == 0 then M.refuse("'%s' has no snapshot yet", self.path) end
  if which == nil or which == "last" then return #samples end
  for i = #samples, 1, -1 do
    if samples[i].label == which then return i end
  end
  local number = math.tointeger(tonumber(which))
  if number and number >= 0 and number < #samples then return number + 1 end
  M.refuse("'%s' has no snapshot '%s'; it has %d, the last is '%s'", self.path,
           which, #samples, samples[#samples].label)
end

-- Launches: { name =, begin =, end_ = } with samples from 1 (0: none before).
function File:kernels()
  local list = {}
  if not self:has("/kernel/name") then return list end
  local names = self:list("/kernel/name", "string")
  local function column(name)
    return self:list("/kernel/" .. name, "number", #names)
  end
  local first, last = column "sample_begin", column "sample_end"
  local start, stop = column "start_tick", column "end_tick"
  local samples = #self:samples()
  for i, name in ipairs(names) do
    list[i] = { name = name, begin = first[i] + 1, end_ = last[i] + 1,
                seconds = (stop[i] - start[i]) * 1e-15 }
    if last[i] >= samples or last[i] >= 0 and first[i] >= last[i] or
       first[i] < -1 then
      M.refuse("'%s' is damaged: kernel %d lies between snapshots %d and %d " ..
               "of %d", self.path, i - 1, first[i], last[i], samples)
    end
  end
  return list
end

-- Instances of a statistic: their paths.
function File:instances(stat)
  return (self:labels(self:axes(stat.item)[2]))
end

-- The root of the file's groups under which a statistic lies, and the name of
-- the series if it is one of a series.
local function root_of(stat)
  local root = stat.path:sub(1, #stat.path - #stat.name - 1)
  return root, root:match("^/series/(.*)$")
end

-- Asks what computes windows of the statistics below a root
-- (stats/window.h).  Samples are numbers from 1 on; `from` is the one before
-- the window, 0 the beginning of the run, and nil lets the row `sample` stand
-- for the window since the row before.
local function ask(self, what, stat, sample, from, instance, may_lack)
  local root, series = root_of(stat)
  self.readers = self.readers or {}
  if not self.readers[root] then
    local reader, why = core.reader(self.path, series)
    if not reader then M.refuse("%s", why) end
    self.readers[root] = reader
  end
  local reader = self.readers[root]
  stat.number = stat.number or reader:number(stat.name) or
                M.refuse("'%s' is damaged: cannot read %s", self.path,
                         stat.path)
  local answer, why = reader[what](reader, stat.number, sample - 1,
                                   from and from - 1, instance)
  if answer == nil and not (may_lack and why == nil) then
    M.refuse("'%s': %s", self.path, why)
  end
  return answer
end

-- What happened between two samples: one number for all instances, or those
-- that match, and for all entries of the axis.  Counters are summed, ratios
-- are the ratio of the sums, never an average of ratios.  NaN where there is
-- none: a ratio of nothing, or the smallest and largest value of a part of
-- the run.
function File:total(stat, sample, from, instance)
  return ask(self, "total", stat, sample, from or 0, instance)
end

-- The standard error of the total at a sample; nil if that is exact.
function File:error(stat, sample)
  return ask(self, "error", stat, sample, 0, nil, true)
end

-- The same for each entry along the axis.
function File:entries(stat, sample, from, instance)
  return ask(self, "entries", stat, sample, from or 0, instance)
end

-- The same for each instance and entry, those of an instance together.
function File:each(stat, sample, from)
  return ask(self, "each", stat, sample, from or 0)
end

-- The same for each instance that agrees with `instance`: a list for each,
-- and their paths.
function File:table_of(stat, sample, from, instance)
  local each = self:each(stat, sample, from)
  local width, out, names = stat.item.dims[3] or 1, {}, {}
  for i, path in ipairs(self:instances(stat)) do
    if not instance or instance_matches(instance, path) then
      out[#out + 1] = table.move(each, (i - 1) * width + 1, i * width, 1, {})
      names[#names + 1] = path
    end
  end
  if #out == 0 then
    M.refuse("'%s': %s has no instance '%s'", self.path, stat.name, instance)
  end
  return out, names
end

-- What happened in the window that row `sample` of a table stands for: since
-- the row before; of the smallest and largest value, since the beginning of
-- the run.
function File:window(stat, sample, instance)
  return ask(self, "total", stat, sample, nil, instance)
end

-- The same for each instance and entry.
function File:windows(stat, sample)
  return ask(self, "each", stat, sample)
end

-- The total of a name, nil if there is no such statistic.
function File:number(name, sample, from)
  local stat = self:find(name)
  return stat and self:total(stat, sample or self:sample(), from)
end

-- Parameters: { ["gpu[0].l2[0]"] = { assoc = "8" } }; columns of /topology.
function File:params()
  local out = {}
  if not self:has("/topology/param/name") then return out end
  local names = self:list("/topology/param/name", "string")
  local owner = self:has("/topology/param/component") and
                self:values("/topology/param/component")
  owner = type(owner) == "table" and owner or {}
  local values = self:list("/topology/param/value", "string", #names)
  local units = self:list("/topology/param/unit", "string", #names)
  for i, name in ipairs(names) do
    local path = tostring(owner[i])
    out[path] = out[path] or {}
    out[path][name] = { value = tostring(values[i]), unit = units[i] }
  end
  return out
end

-- A short name for the run: what tells it from the others of a report.
function File:title()
  return (self.path:match("([^/]+)$") or self.path):gsub("%.h5$", "")
end

return M
