-- `warploom graph`: a machine as Graphviz DOT.  Boxes are components, nested
-- as their paths are; arrows go from clients to servers.  Of a long list the
-- first and last instance are drawn.

local import = ...
local core = import "core"

local M = {}

local function parent_of(path)
  return path:match("^(.*)%.[^%.]+$")
end

local function quote(s)
  return '"' .. s:gsub('[\\"]', "\\%0") .. '"'
end

local palette = { "#f4f4f4", "#e8eef7", "#eaf5ea", "#fbf3e2" }

-- Lists longer than four: only elements 0 and n - 1 are shown.
local function hidden_paths(components)
  local highest = {}
  for _, c in ipairs(components) do
    for prefix, index in c.path:gmatch("()%[(%d+)%]") do
      local name = c.path:sub(1, prefix - 1)
      highest[name] = math.max(highest[name] or 0, tonumber(index))
    end
  end
  return function(path)
    for at, index in path:gmatch("()%[(%d+)%]") do
      local top = highest[path:sub(1, at - 1)]
      local n = tonumber(index)
      if top and top > 3 and n > 0 and n < top then return true end
    end
    return false
  end
end

local function node(c, policies)
  local lines = { c.path:match("([^%.]+)$"), c.type }
  for _, p in ipairs(policies) do
    for _, a in ipairs(p.attach) do
      if a.component == c.path then
        lines[#lines + 1] = ("%s: %s"):format(a.slot, p.type)
      end
    end
  end
  return ("%s [label=%s];"):format(quote(c.path),
                                   quote(table.concat(lines, "\\n"))
                                   :gsub("\\\\n", "\\n"))
end

function M.dot(description)
  local out = { "digraph machine {", "  rankdir=TB; compound=true;",
    '  node [shape=box, style="rounded,filled", fillcolor=white, ' ..
    'fontname="sans-serif", fontsize=10];',
    '  edge [fontname="sans-serif", fontsize=8, color="#555555"];' }
  local hidden = hidden_paths(description.components)
  local children, is_parent, shown = {}, {}, {}
  for _, c in ipairs(description.components) do
    if not hidden(c.path) then
      local parent = parent_of(c.path) or ""
      children[parent] = children[parent] or {}
      table.insert(children[parent], c)
      is_parent[parent] = true
      shown[c.path] = true
    end
  end
  local function emit(c, depth)
    local indent = ("  "):rep(depth + 1)
    local line = node(c, description.policies)
    if not is_parent[c.path] then
      out[#out + 1] = indent .. line
      return
    end
    out[#out + 1] = ("%ssubgraph %s {"):format(indent,
                                               quote("cluster " .. c.path))
    out[#out + 1] = ('%s  label=%s; style="rounded,filled"; fillcolor="%s";')
      :format(indent, quote(c.path:match("([^%.]+)$")),
              palette[depth % #palette + 1])
    out[#out + 1] = indent .. "  " .. line
    for _, child in ipairs(children[c.path]) do emit(child, depth + 1) end
    out[#out + 1] = indent .. "}"
  end
  for _, c in ipairs(children[""] or {}) do emit(c, 0) end
  for _, l in ipairs(description.links) do
    if shown[l.client.path] and shown[l.server.path] then
      out[#out + 1] = ("  %s -> %s [label=%s];"):format(
        quote(l.client.path), quote(l.server.path),
        quote(("%d"):format(l.request.latency)))
    end
  end
  out[#out + 1] = "}\n"
  return table.concat(out, "\n")
end

-- Writes DOT, or SVG if the name ends so and `dot` is installed.  Returns
-- true, or nil and why not.
function M.write(description, path)
  local dot = M.dot(description)
  if not path or path == "-" then
    io.stdout:write(dot)
    return true
  end
  if not path:find("%.svg$") then
    return core.write(path, dot)
  end
  local temporary = path .. ".working"
  local fresh, why = core.fresh(path, temporary)
  if not fresh then return nil, why end
  local quoted = "'" .. temporary:gsub("'", "'\\''") .. "'"
  local pipe = io.popen("dot -Tsvg -o " .. quoted, "w")
  if not pipe then return nil, "cannot run dot" end
  local ok = pipe:write(dot)
  ok = pipe:close() and ok
  if not ok then
    core.remove(temporary)
    return nil, "dot failed; is Graphviz installed? A name that ends in " ..
                ".dot needs no dot"
  end
  return core.move(temporary, path)
end

return M
