-- Every registered policy, component, preset and workload is documented:
-- docs/policies/NAME.md and docs/components/NAME.md exist, begin with the
-- name, have the table of deviations and link the reference; docs/machines.md
-- and docs/suite.md or docs/workloads.md have a section, or a row of a table, for
-- each preset and workload.
--
-- usage: lua policy_pages.lua WARPLOOM SOURCE_DIR
local program, root = arg[1], arg[2]
local bad, pages = 0, 0

local function read(path)
  local f = io.open(path, "rb")
  if not f then return nil end
  local text = f:read "a"
  f:close()
  return text
end

local function complain(fmt, ...)
  print(fmt:format(...))
  bad = bad + 1
end

local table_head = "\n| topic | source says | we do | why |\n" ..
                   "|---|---|---|---|\n|"

local function check_page(kind, name)
  local path = ("docs/%s/%s.md"):format(kind, name)
  local text = read(root .. "/" .. path)
  pages = pages + 1
  if not text then return complain("%s: no such page", path) end
  if text:sub(1, #name + 3) ~= "# " .. name .. "\n" then
    complain("%s: does not begin with '# %s'", path, name)
  end
  if not text:find(table_head, 1, true) then
    complain("%s: has no table 'topic | source says | we do | why'", path)
  end
  if not text:find("../reference.md#loom" .. name, 1, true) then
    complain("%s: does not link its part of the reference", path)
  end
  if not text:find("\n```lua run\n", 1, true) then
    complain("%s: has no example that is run", path)
  end
end

local function check_section(name, ...)
  pages = pages + 1
  for _, path in ipairs { ... } do
    local text = read(root .. "/" .. path) or ""
    if text:find("\n## " .. name .. "\n", 1, true) or
       text:find("\n| `" .. name .. "` |", 1, true) then
      return
    end
  end
  complain("%s: has no section '## %s' or row", (...), name)
end

local checks = {
  components = function(name) check_page("components", name) end,
  policies = function(name) check_page("policies", name) end,
  presets = function(name) check_section(name, "docs/machines.md") end,
  workloads = function(name)
    check_section(name, "docs/suite.md", "docs/workloads.md")
  end,
}

local section
for line in assert(io.popen("'" .. program .. "' info")):lines() do
  local name = line:match "^  ([%w_]+)"
  if line:find "^%l+$" then
    section = checks[line]
    if not section then complain("unknown section '%s' of info", line) end
  elseif name and section then
    section(name)
  end
end
-- What `warploom cite` says a policy is from, its page says, too, or a page of
-- the same paper that it links; and a page that begins with a conference or
-- journal and a year is of a policy that can be cited.
local papers = assert(loadfile(root ..
  "/lua/warploom/command/bibliography.lua"))().papers
local cited = {}

local function names_paper(text, entry)
  if text:find(entry.author:match "^[^,]+", 1, true) then return true end
  for _, other in ipairs(entry.policies) do
    if text:find(("](%s.md)"):format(other), 1, true) then return true end
  end
  return text:find "aper%s+%(?00%d" or text:find "%(00%d"
end

for _, entry in ipairs(papers) do
  for _, name in ipairs(entry.policies or {}) do
    cited[name] = true
    local path = ("docs/policies/%s.md"):format(name)
    local text = read(root .. "/" .. path)
    if not text then
      complain("bibliography.lua: %s: there is no %s", entry[2], path)
    elseif not names_paper(text, entry) then
      complain("%s: does not name %s", path, entry[2])
    end
  end
  for _, name in ipairs(entry.presets or {}) do
    if not read(root .. "/lua/warploom/presets/" .. name .. ".lua") then
      complain("bibliography.lua: %s: there is no preset %s", entry[2], name)
    end
  end
end
local pipe = assert(io.popen("ls '" .. root .. "/docs/policies'"))
for file in pipe:lines() do
  local name = file:match "^(.+)%.md$"
  local text = name ~= "README" and read(root .. "/docs/policies/" .. file)
  local head = text and text:match "^#[^\n]*\n(.-)\n\n%*%*" or ""
  local place, year = head:match "(%u%u%u+[-%d]*),?%s+([12]%d%d%d)%f[%D]"
  if place and not cited[name] then
    complain("docs/policies/%s: is from %s %s, but bibliography.lua does " ..
             "not say so", file, place, year)
  end
end
pipe:close()
print(pages .. " pages and sections checked")
if pages == 0 or bad > 0 then os.exit(1) end
