-- The suite's catalogue: what a benchmark's file declares besides its host
-- program, sizes, and finding benchmarks by paper and class.
--
-- A suite file returns
--   name, doc   as everywhere
--   params      rows; defaults are size "small"
--   run         function(dev, p); what it returns checks the results
-- and, if it is a benchmark of the papers,
--   suite       whose program it is after: "PolyBench"
--   source      of the algorithm
--   classes     { PAPER = class }, papers and classes as below
--   sizes       { tiny =, paper = } what differs from the defaults
--   paper       where the paper size is from, or why there is none
--   loads       { KERNEL = { PARAMETER = "locality divergence" } }
--   reference   what was measured with the published program: { at = its
--               parameters, minst =, lines =, hits = { .. }, why = "...",
--               kernels = { .. } if of these only }
--   notes       what else a user should know

local import = ...
local session = import "script/session"
local suggest = import "base/suggest"
local files = import "script/files"
local unit = import "base/unit"

local M = {}

M.papers = {
  { name = "apcm", title = "APCM",
    classes = { "CS", "CM", "CI" },
    doc = "cache sensitive, moderately sensitive, insensitive" },
  { name = "dacache", title = "DaCache",
    classes = { "divergent", "coherent" }, doc = "memory accesses" },
  { name = "sl1", title = "S-L1", classes = { "streaming" },
    doc = "its ten applications" },
  { name = "twolevel", title = "two-level bypass",
    classes = { "cache-friendly", "bypass" },
    doc = "prefers the L1 or to go around it; with class \"named\" where " ..
          "the paper names it without saying" },
  { name = "loscache", title = "LoSCache", classes = { "named" },
    doc = "named in its text" },
}
table.insert(M.papers[4].classes, "named")

M.sizes = { "tiny", "small", "paper", "reference" }
M.localities = { "streaming", "intra", "inter", "mixed" }
M.divergences = { "coherent", "divergent" }

-- What every benchmark takes.
local common = {
  { name = "seed", default = 1, min = 0, doc = "Seed of the input" },
  { name = "verify", default = true,
    doc = "Compare the results with the CPU's" },
}

function M.params(workload)
  local all, seen = {}, {}
  for _, list in ipairs { workload.params or {}, common } do
    for _, row in ipairs(list) do
      if not seen[row.name] then
        seen[row.name] = true
        all[#all + 1] = row
      end
    end
  end
  return all
end

-- What a size changes; nil if the benchmark has no such size.
function M.size(workload, name)
  if name == "small" then return {} end
  if name == "reference" then
    return workload.reference and workload.reference.at
  end
  return workload.sizes and workload.sizes[name]
end

-- Sizes that a benchmark has.
function M.size_names(workload)
  local names = {}
  for _, name in ipairs(M.sizes) do
    if M.size(workload, name) then names[#names + 1] = name end
  end
  return names
end

-- `fields` with those of its `size` beneath.
function M.sized(workload, fields, site)
  local size = fields.size
  local made = {}
  if size ~= nil then
    local base = type(size) == "string" and M.size(workload, size)
    if not base then
      session.problem(workload.name, ("size is %s, expected one of %s%s")
        :format(unit.quote(size), table.concat(M.size_names(workload), ", "),
                suggest.nearest(tostring(size), M.size_names(workload)) and
                suggest.hint(tostring(size), M.size_names(workload)) or ""),
        session.field(site, workload.name, "size"))
      base = {}
    end
    for key, value in next, base do made[key] = value end
  end
  for key, value in next, fields do made[key] = value end
  made.size = nil
  return made
end

-- The host program with its check at the end.
function M.run(workload)
  return function(dev, p)
    local check = workload.run(dev, p)
    if check and p.verify then check() end
  end
end

local function is_one_of(list, value)
  for _, one in ipairs(list) do
    if one == value then return true end
  end
  return false
end

local function paper_of(name)
  local names = {}
  for i, paper in ipairs(M.papers) do
    if paper.name == name then return paper end
    names[i] = paper.name
  end
  return nil, suggest.hint(tostring(name), names)
end

-- Is a filter { paper =, class = } right?  nil and a text if not.
function M.check_filter(filter)
  for key in next, filter do
    if not is_one_of({ "paper", "class", "suite" }, key) then
      return nil, ("there is no filter '%s'%s"):format(tostring(key),
        suggest.hint(tostring(key), { "class", "paper", "suite" }))
    end
  end
  local classes = {}
  for _, paper in ipairs(M.papers) do
    if filter.paper == nil or filter.paper == paper.name then
      table.move(paper.classes, 1, #paper.classes, #classes + 1, classes)
    end
  end
  if filter.paper ~= nil then
    local found, hint = paper_of(filter.paper)
    if not found then
      return nil, ("there is no paper '%s'%s"):format(tostring(filter.paper),
                                                      hint)
    end
  end
  if filter.class ~= nil and not is_one_of(classes, filter.class) then
    return nil, ("there is no class '%s'%s"):format(tostring(filter.class),
      suggest.hint(tostring(filter.class), classes))
  end
  return true
end

local function matches(workload, filter)
  local classes = workload.classes
  if filter.suite and workload.suite ~= filter.suite then return false end
  if not (filter.paper or filter.class) then return classes ~= nil end
  for paper, class in next, classes or {} do
    if (not filter.paper or filter.paper == paper) and
       (not filter.class or filter.class == class) then
      return true
    end
  end
  return false
end

-- Names of the benchmarks that a filter lets through, sorted; `all` of the
-- suite, with what no paper names, if the filter is nil.
function M.names(filter, load)
  if filter ~= nil then
    if type(filter) ~= "table" then filter = { filter } end
    local ok, why = M.check_filter(filter)
    if not ok then
      session.problem("suite", why)
      return {}
    end
  end
  local names = {}
  for _, name in ipairs(files.names("suite")) do
    if not filter or matches(load(name), filter) then
      names[#names + 1] = name
    end
  end
  return names
end

-- What is wrong with a declaration, as a list of texts.
function M.mistakes(workload)
  local found = {}
  local function bad(fmt, ...)
    found[#found + 1] = workload.name .. ": " .. fmt:format(...)
  end
  for _, key in ipairs { "doc", "params", "run", "sizes" } do
    if not workload[key] then bad("has no '%s'", key) end
  end
  if not (workload.sizes and workload.sizes.tiny) then bad("has no size tiny")
  end
  for paper, class in next, workload.classes or {} do
    local found_paper = paper_of(paper)
    if not found_paper or not is_one_of(found_paper.classes, class) then
      bad("class '%s' of '%s' does not exist", class, paper)
    end
  end
  if workload.classes then
    for _, key in ipairs { "suite", "source", "loads", "paper" } do
      if not workload[key] then bad("has no '%s'", key) end
    end
  end
  if workload.paper and
     (workload.paper:find "^none: " == nil) ~= (workload.sizes.paper ~= nil)
  then
    bad("has a size paper, or says that there is none")
  end
  for kernel, loads in next, workload.loads or {} do
    for param, text in next, loads do
      local locality, divergence = text:match("^(%l+) (%l+)$")
      if not is_one_of(M.localities, locality) or
         not is_one_of(M.divergences, divergence) then
        bad("load '%s' of %s is '%s'", param, kernel, text)
      end
    end
  end
  local params = {}
  for _, row in ipairs(M.params(workload)) do params[row.name] = true end
  for _, size in ipairs(M.sizes) do
    for key in next, M.size(workload, size) or {} do
      if not params[key] then bad("size %s sets '%s'", size, key) end
    end
  end
  table.sort(found)
  return found
end

return M
