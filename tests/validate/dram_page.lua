-- Makes the columns that dram.gp draws, and the tables about DRAM of
-- docs/validation.md.
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
    -- The kind has a comma in its name, perhaps.
    local last = #row
    rows[#rows + 1] = {
      config = row[1], pattern = row[2], load = row[3],
      util = tonumber(row[4]), latency = tonumber(row[5]),
      kind = table.concat(row, ",", 6, last - 3),
      off = tonumber(row[last - 2]), limit = tonumber(row[last - 1]),
      references = row[last],
    }
  end
end

-- ---------------------------------------------------------------- columns

local shown = { "seq", "random", "randblk4", "seq_rw21", "randblk4_rw21" }
for _, config in ipairs { "gddr5_8gb_noref", "hbm2_8gb_noref" } do
  for _, pattern in ipairs(shown) do
    local list = {}
    for _, row in ipairs(rows) do
      if row.config == config and row.pattern == pattern and
         not row.load:find "N" then
        local d3 = { row.references:match "DRAMsim3 (%S+) ([^;]+)" }
        local r2 = { row.references:match "ramulator2.1 (%S+) ([^;]+)" }
        list[#list + 1] = { row.util, row.latency, d3[1], d3[2], r2[1], r2[2] }
      end
    end
    table.sort(list, function(a, b) return a[1] < b[1] end)
    local file = assert(io.open(("%s/%s_%s.dat"):format(folder, config,
                                                       pattern), "w"))
    for _, row in ipairs(list) do
      file:write(table.concat(row, ";"), "\n")
    end
    file:close()
  end
end

-- ----------------------------------------------------------------- tables

local titles = {
  { "unloaded", "unloaded reads, closest reference" },
  { "latency", "reads alone, latency below half of the peak" },
  { "saturation", "random and row misses, saturation" },
  { "other, saturation", "sequential and other reads, saturation" },
  { "mixed, unloaded", "2 reads : 1 write, latency of a lone read" },
  { "mixed, latency", "2 reads : 1 write, latency below half of the peak" },
  { "mixed, saturation", "2 reads : 1 write, saturation" },
}
local sections = {}
local out = { "| what | measurements | worst, % | where |",
              "|---|---|---|---|" }
for _, title in ipairs(titles) do
  local count, worst = 0, nil
  for _, row in ipairs(rows) do
    if row.kind == title[1] then
      count = count + 1
      if not worst or math.abs(row.off) > math.abs(worst.off) then
        worst = row
      end
    end
  end
  local where = worst and worst.off ~= 0 and ("%s, %s, %s"):format(
    worst.config, worst.pattern, worst.load) or "-"
  out[#out + 1] = ("| %s | %d | %+.2f | %s |"):format(title[2], count,
    worst and 100 * worst.off or 0, where)
end
sections.dram = table.concat(out, "\n")

out = { "| channel | traffic | ours | DRAMsim3 | Ramulator |",
        "|---|---|---|---|---|" }
for _, row in ipairs(rows) do
  if row.load == "1" and row.config:find "noref" and
     not row.config:find "^r1" then
    out[#out + 1] = ("| %s | %s | %.3f | %.3f | %.3f |"):format(
      row.config:gsub("_noref", ""), row.pattern, row.util,
      row.references:match "DRAMsim3 (%S+)",
      row.references:match "ramulator2.1 (%S+)")
  end
end
sections.dram_saturation = table.concat(out, "\n")

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
