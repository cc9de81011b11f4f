-- No circles: of the files that need each other's symbols, none may need,
-- through however many others, one that needs it (docs/decisions/0041).  So a
-- folder has an order in which it can be read, and so have the folders.
--
-- usage: lua circles.lua <SYMBOLS: lines of `FILE NAME U`, where the object of
-- FILE needs NAME, or `FILE NAME` and another letter, where it has it (nm -P).

local function folder_of(file) return file:match("^(.*)/") end
local function base(file) return file:match("[^/]+$") end

local defined, needs = {}, {} -- name -> file; list
for line in io.lines() do
  local file, name, kind = line:match("^(%S+) (%S+) (%a)")
  assert(file, line)
  if kind == "U" then
    needs[#needs + 1] = { file = file, name = name }
  else
    defined[name] = file
  end
end

local arrows, files = {}, {} -- file -> file -> names; in the order of symbols
for _, need in ipairs(needs) do
  local file, other = need.file, defined[need.name]
  if not arrows[file] then
    arrows[file], files[#files + 1] = {}, file
  end
  if other and other ~= file then
    arrows[file][other] = arrows[file][other] or {}
    table.insert(arrows[file][other], need.name)
  end
end

local function reached_from(file, reached)
  for other in pairs(arrows[file] or {}) do
    if not reached[other] then
      reached[other] = true
      reached_from(other, reached)
    end
  end
  return reached
end

local reach = {}
for _, file in ipairs(files) do reach[file] = reached_from(file, {}) end

local function files_of_circle(first)
  local circle = {}
  for _, file in ipairs(files) do
    if reach[first][file] and reach[file][first] then
      circle[#circle + 1] = file
    end
  end
  return circle
end

-- The folder that has all of the files; several of them, as one text.
local function folder_of_circle(circle)
  local names, seen = {}, {}
  for _, file in ipairs(circle) do
    local folder = folder_of(file)
    if not seen[folder] then names[#names + 1], seen[folder] = folder, true end
  end
  return table.concat(names, " and ")
end

local function tell_arrows(circle)
  for _, file in ipairs(circle) do
    for _, other in ipairs(circle) do
      local names = arrows[file][other]
      if names then
        print(("  %s -> %s: %s"):format(base(file), base(other),
              table.concat(names, " ")))
      end
    end
  end
end

local found, told = 0, {}
for _, first in ipairs(files) do
  if reach[first][first] and not told[first] then
    local circle = files_of_circle(first)
    for _, file in ipairs(circle) do told[file] = true end
    print(("%s: circle: %d files"):format(folder_of_circle(circle), #circle))
    tell_arrows(circle)
    found = found + 1
  end
end
print(found .. " circles")
os.exit(found == 0)
