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

local function run(dev, p)
  local text = make(p)
  dev:module "mars_index.ptx"
  local groups = kit.mars.run(dev, "mars_index", text)

  return function()
    local want = {}
    for at, line in text:gmatch "()([^\n]*)\n" do
      for url in line:gmatch 'href="([^"]*)"' do
        want[url] = (want[url] or 0) + at - 1
      end
    end
    kit.mars.check(dev, groups, want)
    dev:verified "all groups and their sums"
  end
end

return {
  name = "mars_index",
  doc = "Inverted index of links (Mars)",
  suite = "Mars",
  source = "He et al., PACT 2008 (Mars)",
  classes = { apcm = "CS", dacache = "divergent" },
  params = { kit.param("lines", 1024, "Lines of HTML", 1 << 20),
             kit.param("words", 12, "Words of a line, at least", 1000, 6) },
  sizes = { tiny = { lines = 40 }, paper = { lines = 60000 } },
  paper = "DaCache, table 1: \"6.8M\" of text",
  notes = "The reference has the two map kernels only.",
  loads = kit.mars.loads("mars_index", { sort = { keys = "inter divergent" } }),
  reference = { at = { lines = 2048 }, kernels = { "mars_index_count",
                                                   "mars_index_map" },
                minst = 4.5, lines = 26, hits = { 39, 85, 96, 97 },
                why = "lines of text have about 117 bytes, so that 32 " ..
                      "lanes would touch 29 cache lines; ours touch 14, as " ..
                      "lanes that are at a link or through with their line " ..
                      "wait for the others, and 13.3 if lines are twice " ..
                      "as long (--set words=24). In the published program " ..
                      "27.7 of 32 lanes are active on average" },
  run = run,
}
