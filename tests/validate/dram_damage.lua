-- Damages copies of a log of DRAM commands, one mistake each, and wants the
-- checker to find every one.
--   lua5.4 dram_damage.lua LOG CHECKER ARGUMENTS OF CHECKER ..
--
-- The mistakes: for every rule that the log keeps exactly somewhere, the later
-- command one cycle earlier; a command left out, done twice, of another row or
-- another bank; and a refresh too many, for which all that follows is put off.

local log = arg[1]
local command = table.concat(arg, " ", 2)

local lines = {}
for line in io.lines(log) do lines[#lines + 1] = line end

-- Which column is which, as in the header.
local column = {}
do
  local n = 0
  for name in (lines[1] .. ","):gmatch "([^,]*)," do
    n = n + 1
    column[name:lower():gsub("^clock$", "clk")] = n
  end
end

local function split(line)
  local parts = {}
  for part in (line .. ","):gmatch "([^,]*)," do parts[#parts + 1] = part end
  return parts
end

local kinds = { act = "ACT", activate = "ACT", pre = "PRE", precharge = "PRE",
                prepb = "PRE", rd = "RD", read = "RD", wr = "WR",
                write = "WR", ref = "REF", refresh = "REF", refab = "REF",
                refb = "REFB", prea = "PREA", preab = "PREA" }
local function kind(parts) return kinds[parts[column.command]:lower()] end

local function check(changed)
  local name = os.tmpname()
  local file = assert(io.open(name, "w"))
  for _, line in ipairs(changed) do file:write(line, "\n") end
  file:close()
  local pipe = assert(io.popen(command .. " <" .. name .. " 2>&1"))
  local text = pipe:read "a"
  local _, _, status = pipe:close()
  os.remove(name)
  return status, text
end

local function copy()
  return table.move(lines, 1, #lines, 1, {})
end

local tried, missed = {}, 0
local function try(what, changed)
  local status, text = check(changed)
  tried[#tried + 1] = what
  if status ~= 1 then
    missed = missed + 1
    print(("%s: not caught (status %s)"):format(what, tostring(status)))
    print(text:sub(1, 400))
  end
end

local status, text = check(lines)
if status ~= 0 then
  print(log .. ": not legal as it is")
  print(text:sub(1, 1000))
  os.exit(1)
end

-- A cycle too early.  The line is moved in front of those of its new cycle.
for rule, at in text:gmatch "rule (%u+ %u+ [%w_]+ %d+ %d+) tight (%d+)" do
  at = tonumber(at)
  if at > 0 and not rule:find "_most" and not rule:find "_often" then
    local changed, parts = copy(), split(lines[at])
    parts[column.clk] = tostring(math.tointeger(parts[column.clk]) - 1)
    table.remove(changed, at)
    while at > 2 and math.tointeger(split(changed[at - 1])[column.clk]) >
                     math.tointeger(parts[column.clk]) do
      at = at - 1
    end
    table.insert(changed, at, table.concat(parts, ","))
    try("early " .. rule, changed)
  end
end

-- The first command of a kind, from the middle of the log on.
local function first(wanted)
  for i = #lines // 2, #lines do
    local parts = split(lines[i])
    if kind(parts) == wanted then return i, parts end
  end
  for i = 2, #lines do
    local parts = split(lines[i])
    if kind(parts) == wanted then return i, parts end
  end
end

for _, wanted in ipairs { "ACT", "PRE" } do
  local at = first(wanted)
  if at then
    local changed = copy()
    table.remove(changed, at)
    try(wanted .. " left out", changed)
  end
end
for _, wanted in ipairs { "ACT", "PRE", "RD", "WR", "REF", "REFB" } do
  local at = first(wanted)
  if at then
    local changed = copy()
    table.insert(changed, at, changed[at])
    try(wanted .. " twice", changed)
  end
end
for _, wanted in ipairs { "RD", "WR" } do
  local at, parts = first(wanted)
  if at then
    local changed = copy()
    parts[column.row] = tostring(math.tointeger(parts[column.row]) + 1)
    changed[at] = table.concat(parts, ",")
    try(wanted .. " of another row", changed)
  end
end

-- One more refresh, `later` cycles behind the last one (of the bank that was
-- the first); the rest comes as much later.
local function one_more(wanted, later)
  local at, bank
  for i = 2, #lines do
    local parts = split(lines[i])
    if kind(parts) == wanted then
      local name = parts[column.bankgroup] .. "," .. parts[column.bank]
      bank = bank or name
      if name == bank then at = i end
    end
  end
  if not at then return end
  local changed, extra = copy(), nil
  for i = at, #lines do
    local parts = split(lines[i])
    parts[column.clk] = tostring(math.tointeger(parts[column.clk]) + later)
    changed[i] = table.concat(parts, ",")
    extra = extra or changed[i]
  end
  changed[at] = lines[at]
  table.insert(changed, at + 1, extra)
  try("one " .. wanted .. " too many", changed)
end
for cycles in text:gmatch "rule REF REF any 1 (%d+)" do
  if text:find "rule REF REF any_often" then
    one_more("REF", math.tointeger(cycles))
  end
end
for cycles in text:gmatch "rule REFB REFB same_bank 1 (%d+)" do
  one_more("REFB", math.tointeger(cycles))
end

print(("%s: %d damaged copies, %d not caught"):format(log:match "[^/]*$",
                                                     #tried, missed))
os.exit(missed == 0 and #tried >= 8)
