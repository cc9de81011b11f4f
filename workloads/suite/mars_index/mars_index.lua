-- mars_index: inverted index of links, after Mars.

local kit = require "warploom.kit"

local function make(p)
  local random = kit.random(p.seed)
  local words, lines = kit.words(random, 300), {}
  local function word() return words[1 + random(#words)] end
  for i = 1, p.lines do
    local line = {}
    for k = 1, p.words + random(p.words) do line[k] = word() end
    if random(3) > 0 then
      line[5] = ('<a href="http://%s.org">%s</a>'):format(word(), line[5])
    end
    lines[i] = "<p>" .. table.concat(line, " ") .. "</p>\n"
  end
  return table.concat(lines)
end

-- Lines of one form and length, two links in each.
local function even(p)
  local random, lines = kit.random(p.seed), {}
  for i = 1, p.lines do
    lines[i] = ('<li><a href="http://%03d.org">page %05d</a> ' ..
                '<a href="http://%03d.org">index %05d</a></li>\n'):format(
      random(300), i, random(300), i)
  end
  return table.concat(lines)
end

local function run(dev, p)
  local text = p.even and even(p) or make(p)
  dev:module "mars_index.ptx"
  local groups = kit.mars.run(dev, "mars_index", text, p.piece)

  return function()
    local want, begins, task = {}, kit.mars.tasks(dev, text, p.piece), 0
    for at, line in text:gmatch "()([^\n]*)\n" do
      if at - 1 == begins[task + 1] then task = task + 1 end
      for url in line:gmatch 'href="([^"]*)"' do
        want[url] = (want[url] or 0) + begins[task]
      end
    end
    -- Sums of 32 bits, as the device's.
    for url, sum in next, want do
      want[url] = (sum + (1 << 31)) % (1 << 32) - (1 << 31)
    end
    kit.mars.check(dev, groups, want)
    dev:verified "all groups and their sums"
  end
end

return {
  name = "mars_index",
  doc = "Inverted index of links (Mars)",
  suite = "Mars",
  source = "Mars",
  classes = { apcm = "CS", dacache = "divergent" },
  params = { kit.param("lines", 1024, "Lines of HTML", 1 << 20),
             kit.param("words", 12, "Words of a line, at least", 1000, 6),
             kit.mars.piece,
             { name = "even", default = true,
               doc = "All lines have one form and length" } },
  sizes = { tiny = { lines = 40, even = false },
            paper = { lines = 72000, piece = 1024 } },
  paper = "DaCache: \"6.8M\" of text",
  notes = "A task is a line at small, as there are few; 1 KB in the " ..
          "published program. The reference has the two map kernels " ..
          "only.",
  loads = kit.mars.loads("mars_index", {
    count = { lines = "mixed coherent" } }),
  reference = { at = { lines = 2048, piece = 1024 },
                kernels = { "mars_index_count", "mars_index_map" },
                minst = 4.5, lines = 26, hits = { 39, 85, 96, 97 },
                why = "all warps share one SM, and how many there are " ..
                      "depends on the length of a line, which is not " ..
                      "known: six at 94 bytes; five (--set lines=1600) " ..
                      "have 26.6 lines per load and 41 / 88 / 99 / 99 %, " ..
                      "four (1280) 62 % in 16 KB" },
  run = run,
}
