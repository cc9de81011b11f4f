-- What the parts of a machine must agree on and none of them can see alone:
-- found before a run is far enough to find it.

local import = ...
local session = import "script/session"
local record = import "machine/record"
local types = import "machine/types"

local M = {}

local function get(c, name)
  local value = c.params[name]
  if value ~= nil then return value end
  return types.components[c.type].param[name].default
end

-- Notes a problem where the parameter was given.
local function problem(c, name, fmt, ...)
  local d = record.data(c.record)
  local entry = d.params[name]
  session.problem(c.record, ("parameter '%s' is %s, but %s"):format(name,
                  tostring(get(c, name)), fmt:format(...)),
                  entry and entry.site or d.site)
end

-- An SM has room for the warps that the gpu counts on.
local function check_warps(gpu, sm)
  local threads = get(gpu, "sm_threads")
  if get(sm, "warps") * 32 < threads then
    problem(sm, "warps", "%s gives it up to 'sm_threads' = %d threads, " ..
            "%d warps", gpu.path, threads, (threads + 31) // 32)
  end
end

-- Only caches know what a flush is.
local passes = { crossbar = true, network = true }
local function check_flush(ldst, below)
  if get(ldst, "flushes_l1") and (passes[below.type] or below.type == "dram")
  then
    problem(ldst, "flushes_l1", "%s at port 'l1' is no cache that could be " ..
            "flushed; 'flush_l1' of the SM must be false, too", below.path)
  end
end

-- The caches whose misses come to `path`, through networks.
local function askers(machine, path, seen, out)
  for _, link in ipairs(machine.above[path] or {}) do
    local c = machine.at[link.client.path]
    if c.type == "cache" then
      out[#out + 1] = c
    elseif passes[c.type] and not seen[c.path] then
      seen[c.path] = true
      askers(machine, c.path, seen, out)
    end
  end
  return out
end

-- The component that all links to `path` come from; nil: from several.
local function above_all(machine, path)
  local links = machine.above[path] or {}
  for _, link in ipairs(links) do
    if link.client.path ~= links[1].client.path then return nil end
  end
  return links[1] and machine.at[links[1].client.path]
end

-- Of the caches whose misses come to `path` those that ask for lines, and of
-- these who asks for longer ones than all before it.
local function longest(machine, path)
  local found, most = {}, 0
  for _, above in ipairs(askers(machine, path, {}, {})) do
    local line = get(above, "line_bytes")
    if line > most and get(above, "sector_bytes") == 0 then
      found[#found + 1], most = above, line
    end
  end
  return found
end

-- The same for caches below one network: they have the same askers.
local function longest_of(machine, path)
  local from = above_all(machine, path)
  if not from or from.type == "cache" then return longest(machine, path) end
  local found = machine.asked[from.path] or longest(machine, path)
  machine.asked[from.path] = found
  return found
end

-- A miss of a cache without sectors asks for a line.
local function check_lines(machine, cache)
  local line = get(cache, "line_bytes")
  for _, above in ipairs(longest_of(machine, cache.path)) do
    local asked = get(above, "line_bytes")
    if asked > line then
      return problem(cache, "line_bytes", "%s asks for lines of %d bytes: " ..
                     "lines may not become shorter on the way to memory",
                     above.path, asked)
    end
  end
end

-- `description` is complete and without problems.
function M.check(description)
  local machine = { at = {}, above = {}, asked = {} }
  for _, c in ipairs(description.components) do machine.at[c.path] = c end
  for _, link in ipairs(description.links) do
    local client = machine.at[link.client.path]
    local server = machine.at[link.server.path]
    local above = machine.above[server.path] or {}
    machine.above[server.path] = above
    above[#above + 1] = link
    if client.type == "gpu" and server.type == "sm" then
      check_warps(client, server)
    elseif client.type == "ldst" and link.client.port == "l1" then
      check_flush(client, server)
    end
  end
  for _, c in ipairs(description.components) do
    if c.type == "cache" then check_lines(machine, c) end
  end
end

return M
