-- Writes the tables about DRAM of docs/validation.md, and what its figure
-- shows: docs/validation/dram.csv, which figures.lua draws.
--
-- usage: lua5.4 dram_page.lua FOLDER PAGE
--
-- FOLDER holds what tests/validate/dram_all.sh has measured.
local folder, page = assert(arg[1]), assert(arg[2])

local rows = {}
for line in io.lines(folder .. "/dram.csv") do
  local row = {}
  for field in (line .. ","):gmatch "([^,]*)," do row[#row + 1] = field end
  if row[1] ~= "config" then
    rows[#rows + 1] = {
      config = row[1], pattern = row[2], load = row[3], simulator = row[4],
      util = tonumber(row[5]), latency = tonumber(row[6]),
      kind = row[7]:gsub(";", ","), off = tonumber(row[8]),
      their_util = tonumber(row[10]), their_latency = tonumber(row[11]),
    }
  end
end

-- ------------------------------------------------------- what is drawn

local drawn = { "config;pattern;simulator;util;latency;their_util;" ..
                "their_latency" }
for _, config in ipairs { "gddr5_8gb_noref", "hbm2_8gb_noref" } do
  for _, pattern in ipairs { "seq", "random", "randblk4", "seq_rw21",
                             "randblk4_rw21" } do
    for _, simulator in ipairs { "DRAMsim3", "ramulator2.1" } do
      local list = {}
      for _, row in ipairs(rows) do
        if row.config == config and row.pattern == pattern and
           row.simulator == simulator and not row.load:find "N" then
          list[#list + 1] = row
        end
      end
      table.sort(list, function(a, b)
        if a.util ~= b.util then return a.util < b.util end
        return tonumber(a.load) < tonumber(b.load)
      end)
      for _, row in ipairs(list) do
        drawn[#drawn + 1] = ("%s;%s;%s;%.4f;%.3f;%.4f;%.3f"):format(config,
          pattern, simulator, row.util, row.latency, row.their_util,
          row.their_latency)
      end
    end
  end
end
local columns = assert(io.open(page:gsub("%.md$", "/dram.csv"), "w"))
columns:write(table.concat(drawn, "\n"), "\n")
columns:close()

-- ----------------------------------------------------------------- tables

local simulators = { { "DRAMsim3", "DRAMsim3" },
                     { "ramulator1", "Ramulator 1" },
                     { "ramulator2.1", "Ramulator 2" } }
local titles = {
  { "unloaded", "reads, one at a time: latency" },
  { "latency", "reads alone, latency below half of the peak" },
  { "saturation", "reads alone, saturation" },
  { "mixed, unloaded", "2 reads : 1 write, latency of a lone read" },
  { "mixed, latency", "2 reads : 1 write, latency below half of the peak" },
  { "mixed, saturation", "2 reads : 1 write, saturation" },
}
local sections = {}
local out = {
  "| what | held against | measurements | mean, % | worst, % | where |",
  "|---|---|---|---|---|---|" }
for _, title in ipairs(titles) do
  local what = title[2] -- in the first of its rows
  for _, simulator in ipairs(simulators) do
    local count, sum, worst = 0, 0, nil
    for _, row in ipairs(rows) do
      if row.kind == title[1] and row.simulator == simulator[1] then
        count, sum = count + 1, sum + math.abs(row.off)
        if not worst or math.abs(row.off) > math.abs(worst.off) then
          worst = row
        end
      end
    end
    if worst then
      local where = worst.off ~= 0 and ("%s, %s, %s"):format(
        worst.config, worst.pattern, worst.load) or "-"
      out[#out + 1] = ("| %s | %s | %d | %.2f | %+.2f | %s |"):format(
        what, simulator[2], count, 100 * sum / count, 100 * worst.off, where)
      what = ""
    end
  end
end
sections.dram = table.concat(out, "\n")

-- Saturation, ours / theirs: a table for each simulator, a row a channel.
local function saturation(controller)
  local cells, channels, traffics, seen = {}, {}, {}, {}
  local function once(list, name)
    if not seen[name] then list[#list + 1] = name end
    seen[name] = true
  end
  for _, row in ipairs(rows) do
    local of = row.simulator == "DRAMsim3" and "DRAMsim3" or "Ramulator"
    if row.load == "1" and row.config:find "noref" and of == controller then
      local channel = row.config:gsub("_noref", "")
      once(channels, channel)
      once(traffics, row.pattern)
      cells[channel .. " " .. row.pattern] = ("%.3f / %.3f"):format(row.util,
        row.their_util)
    end
  end
  table.sort(channels)
  table.sort(traffics)
  local lines = { ("| as %s / itself | %s |"):format(controller,
                    table.concat(traffics, " | ")),
                  "|---" .. ("|---"):rep(#traffics) .. "|" }
  for _, channel in ipairs(channels) do
    local line = { channel }
    for i, traffic in ipairs(traffics) do
      line[i + 1] = cells[channel .. " " .. traffic] or "-"
    end
    lines[#lines + 1] = "| " .. table.concat(line, " | ") .. " |"
  end
  return table.concat(lines, "\n")
end
sections.dram_saturation = saturation "DRAMsim3" .. "\n\n" ..
                           saturation "Ramulator"

local text = {}
for line in io.lines(folder .. "/dram_rules.txt") do text[#text + 1] = line end
sections.dram_rules = "```text\n" .. table.concat(text, "\n") .. "\n```"

local file = assert(io.open(page))
local body = file:read "a"
file:close()
for name, section in pairs(sections) do
  local head = ("<!-- measured: %s -->\n"):format(name)
  local from, to = body:find(head, 1, true)
  assert(from, page .. ": no place for " .. name)
  local stop = body:find("<!-- end -->", to, true)
  body = body:sub(1, to) .. section .. "\n" .. body:sub(stop)
end
file = assert(io.open(page, "w"))
file:write(body)
file:close()
