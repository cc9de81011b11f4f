-- No circles inside a part: of the files of a folder that need each other's
-- symbols, none may need, through however many others, one that needs it
-- (docs/decisions/0041).  So a folder has an order in which it can be read.
--
-- usage: lua circles.lua <SYMBOLS: lines of `FILE NAME U`, where the object of
-- FILE needs NAME, or `FILE NAME` and another letter, where it has it (nm -P).

-- Parts that have circles still: those are told, but allowed.
local pending = { ["workloads"] = true, ["workloads/ptx"] = true }

local function folder_of(file) return file:match("^(.*)/") end
local function base(file) return file:match("[^/]+$") end

local defined, needs, parts = {}, {}, {} -- folder .. name -> file; list; set
for line in io.lines() do
  local file, name, kind = line:match("^(%S+) (%S+) (%a)")
  assert(file, line)
  local key = folder_of(file) .. " " .. name
  parts[folder_of(file)] = true
  if kind == "U" then
    needs[#needs + 1] = { file = file, name = name, key = key }
  else
    defined[key] = file
  end
end

local arrows, files = {}, {} -- file -> file -> names; in the order of symbols
for _, need in ipairs(needs) do
  local file, other = need.file, defined[need.key]
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

local found, told, circular = 0, {}, {}
for _, first in ipairs(files) do
  if reach[first][first] and not told[first] then
    local part, circle = folder_of(first), files_of_circle(first)
    for _, file in ipairs(circle) do told[file] = true end
    circular[part] = true
    if pending[part] then
      print(("%s: circle: %d files: PENDING, not held to the rule yet"):format(
            part, #circle))
    else
      print(("%s: circle: %d files"):format(part, #circle))
      found = found + 1
    end
    tell_arrows(circle)
  end
end
for part in pairs(pending) do
  if parts[part] and not circular[part] then
    print(part .. ": circle: it has none any more: take it off the list")
    found = found + 1
  end
end
print(found .. " circles")
os.exit(found == 0)
