-- Pages, and parts of pages between `<!-- generated: NAME -->` and `<!-- end
-- -->`, that are made from the program and the sources: compares, or with
-- LOOM_BLESS=1 writes.
--
-- usage: lua generated.lua WARPLOOM SOURCE_DIR
local program, root = arg[1], arg[2]
local bless = os.getenv "LOOM_BLESS" == "1"
local bad, made = 0, 0

local function read(path)
  local f = assert(io.open(path, "rb"))
  local text = f:read "a"
  f:close()
  return text
end

local function run(arguments)
  local p = assert(io.popen(("'%s' %s"):format(program, arguments)))
  local text = p:read "a"
  assert(p:close(), "warploom " .. arguments .. " fails")
  return text
end

local function compare(page, found, wanted)
  made = made + 1
  if found == wanted then return end
  if bless then
    local f = assert(io.open(root .. "/" .. page, "wb"))
    f:write(wanted)
    f:close()
    print(page .. ": written")
    return
  end
  print(page .. " is not what is generated; LOOM_BLESS=1 writes it")
  bad = bad + 1
end

-- A preset's file without the rest of the program: whatever it asks of the
-- library is asked in build(), which is not called.
local function preset(name)
  local env = setmetatable({ require = function() return {} end },
                           { __index = _G })
  local path = ("%s/lua/warploom/presets/%s.lua"):format(root, name)
  return assert(loadfile(path, "t", env))()
end

local function sorted(t)
  local keys = {}
  for key in next, t do keys[#keys + 1] = key end
  table.sort(keys)
  return keys
end

local function rows(head)
  local columns = select(2, head:gsub("|", "|")) - 1
  return { head, "|" .. ("---|"):rep(columns) }
end

local parts = {}

function parts.gtx480_numbers()
  local numbers = preset "gtx480".numbers
  local out = rows "| part | parameter | value | source |"
  for _, part in ipairs(sorted(numbers)) do
    for _, key in ipairs(sorted(numbers[part])) do
      local entry = numbers[part][key]
      out[#out + 1] = ("| %s | %s | %s | %s |"):format(part, key,
        tostring(entry[1]), (entry[2]:gsub("|", "\\|")))
    end
  end
  return out
end

function parts.gtx480_wires()
  local wires = preset "gtx480".wires
  local out = rows "| link | direction | latency | credit | capacity |"
  for _, name in ipairs(sorted(wires)) do
    local wire = wires[name]
    for _, side in ipairs { "request", "reply" } do
      local w = wire[side] or wire
      out[#out + 1] = ("| %s | %s | %s | %s | %s |"):format(name, side,
        w.latency, w.credit, w.capacity)
    end
  end
  return out
end

-- Policies, by hook, with links to their pages.
function parts.policies()
  local out = rows "| hook | policy | what it does |"
  local found, inside = {}, false
  for line in run "info":gmatch "[^\n]*" do
    local name, hooks, doc = line:match "^  ([%w_]+) +([%w_ ]-)  +(%S.*)$"
    if line:find "^%S" then inside = line == "policies" end
    if inside and name then
      found[#found + 1] = ("| %s | [%s](%s.md) | %s |"):format(hooks, name,
                                                               name, doc)
    end
  end
  table.sort(found)
  return table.move(found, 1, #found, #out + 1, out)
end

for _, page in ipairs { "docs/machines.md", "docs/policies/README.md" } do
  local found = read(root .. "/" .. page)
  local wanted = found:gsub(
    "(<!%-%- generated: ([%w_]+) %-%->\n)(.-)(<!%-%- end %-%->)",
    function(head, name, _, tail)
      return head .. table.concat(parts[name](), "\n") .. "\n" .. tail
    end)
  compare(page, found, wanted)
end

local reference = io.open(root .. "/docs/reference.md", "rb")
local found = reference and reference:read "a" or ""
if reference then reference:close() end
compare("docs/reference.md", found, run "info --markdown")
if bad > 0 or made == 0 then os.exit(1) end
