-- What a script gets of a run: its results by name, and nothing else.
--
-- A name that is not there is a mistake, not nil: a metric that asks for
-- `cyclse` is found before anything has run (sweep/experiment.lua).

local import = ...
local session = import "script/session"
local suggest = import "base/suggest"
local poison = import "base/poison"

local M = {}

local names = { "busy", "caches", "cycles", "cycles_error", "digest", "energy",
                "energy_delay", "energy_error", "errors", "file", "functional",
                "kernels", "kips", "power", "reason", "sampled", "seconds",
                "seconds_error", "seed", "stats", "status",
                "storage", "stored", "thread_insts", "ticks", "verdicts",
                "violations", "wall", "warp_insts", "workload" }
local known = {}
for _, name in ipairs(names) do known[name] = true end

-- Where nothing is run, mistakes are collected, but for those of metrics that
-- are tried, which may see to them; else the first one stops the script.
-- `kind` of the stop: "workload" while the run lasts.
local function wrong(text, kind)
  local site = session.site()
  if session.mode ~= "run" and not session.trying then
    session.problem(nil, text, site)
    return poison
  end
  error(setmetatable({ kind = kind or "config", site = site, mistake = text,
                       text = ("%s:%d: %s"):format(site.file, site.line,
                                                   text) }, session.Stop), 0)
end

function M.unknown(what, name, list, kind)
  return wrong(("%s has no '%s'%s"):format(what, tostring(name),
               suggest.hint(tostring(name), list)), kind)
end

local function keys_of(t)
  local list = {}
  for key in next, t do
    if type(key) == "string" then list[#list + 1] = key end
  end
  table.sort(list)
  return list
end

-- A table whose names are all that it has; numbers outside of it are nil, so
-- that lists have an end.
function M.strict(t, what)
  return setmetatable(t, {
    __index = function(_, name)
      if type(name) ~= "string" then return nil end
      return M.unknown(what, name, keys_of(t))
    end,
    __name = what, __sorted = true,
  })
end

-- What `read(path, name)` says of the groups of `catalog`, each a table of
-- numbers; `what`: of a run.
local function table_of(catalog, what, read)
  return function(path)
    path = tostring(path)
    local found, text = catalog:group(path)
    if not found then return wrong(("run.%s: %s"):format(what, text)) end
    return setmetatable({}, {
      __index = function(_, name)
        local value, why = read(path, tostring(name))
        if value == nil then
          return wrong(("run.%s: %s"):format(what, why))
        end
        if type(value) ~= "table" then return value end
        return M.strict(value, ("%s of '%s'"):format(name, path))
      end,
      __newindex = function() error("statistics are read only", 2) end,
      __tostring = function() return "statistics of " .. path end,
      __name = "statistics",
    })
  end
end

-- A run's statistics, or what they did since a mark; and their standard errors
-- if it was sampled.
function M.stats(catalog, since)
  return table_of(catalog, "stats", function(path, name)
    return catalog:query(path, name, since)
  end)
end
function M.errors(catalog, read)
  return table_of(catalog, "errors", read or function(path, name)
    return catalog:error(path, name)
  end)
end

-- The results of `run`, which may still change it.  Scripts that are trusted
-- see the rest of it, too.
function M.of(run)
  for _, name in ipairs { "storage", "caches" } do
    if run[name] and not getmetatable(run[name]) then
      M.strict(run[name], "run." .. name)
      for key, value in next, run[name] do
        M.strict(value, ("run.%s['%s']"):format(name, key))
      end
    end
  end
  return setmetatable({}, {
    __index = function(_, name)
      local value = run[name]
      if known[name] or session.unsafe and value ~= nil then return value end
      return M.unknown("a run", name, names)
    end,
    __newindex = function() error("results are read only", 2) end,
    __name = "run",
  })
end

return M
