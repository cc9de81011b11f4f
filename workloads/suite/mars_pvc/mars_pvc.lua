-- mars_pvc: hits of each URL in a web log, after Mars.

local kit = require "warploom.kit"

local function make(p)
  local random = kit.random(p.seed)
  local words, lines = kit.words(random, 300), {}
  for i = 1, p.lines do
    local page = words[1 + random(1 + random(#words))]
    lines[i] = ("http://www.%s.com/index.html 10.%d.%d.7 %d\n"):format(
      page, random(200), random(200), random(100000))
  end
  return table.concat(lines)
end

local function run(dev, p)
  local text = make(p)
  dev:module "mars_pvc.ptx"
  local groups = kit.mars.run(dev, "mars_pvc", text)

  return function()
    local want = {}
    for url in text:gmatch "(%S+)[^\n]*\n" do
      want[url] = (want[url] or 0) + 1
    end
    kit.mars.check(dev, groups, want)
    dev:verified "all groups and their sums"
  end
end

return {
  name = "mars_pvc",
  doc = "Hits of each URL in a web log (Mars)",
  suite = "Mars",
  source = "He et al., PACT 2008 (Mars)",
  classes = { dacache = "divergent" },
  params = { kit.param("lines", 700, "Lines of the log", 1 << 20) },
  sizes = { tiny = { lines = 40 }, paper = { lines = 100000 } },
  paper = "DaCache, table 1: \"100K\" records",
  notes = "The published program first drops repeated pairs of page and " ..
          "visitor with another map, sort and reduce.",
  loads = kit.mars.loads("mars_pvc"),
  reference = { at = { lines = 2048 }, minst = 119.5, lines = 5.8,
                hits = { 55, 81, 92, 96 },
                why = "the published program has two jobs, in which every " ..
                      "record passes through copies, scans and sorts of " ..
                      "pages with visitors; here is one" },
  run = run,
}
