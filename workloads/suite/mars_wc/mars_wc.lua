-- mars_wc: count of each word of a text, after Mars.

local kit = require "warploom.kit"

local function make(p)
  local random = kit.random(p.seed)
  local words, lines = kit.words(random, 200), {}
  for i = 1, p.lines do
    local line = {}
    for k = 1, 6 + random(6) do line[k] = words[1 + random(#words)] end
    lines[i] = table.concat(line, " ") .. "\n"
  end
  return table.concat(lines)
end

local function run(dev, p)
  local text = make(p)
  dev:module "mars_wc.ptx"
  local groups = kit.mars.run(dev, "mars_wc", text, p.piece)

  return function()
    local want = {}
    for word in text:gmatch "%S+" do
      if #word >= 6 then want[word] = (want[word] or 0) + 1 end
    end
    kit.mars.check(dev, groups, want)
    dev:verified "all groups and their sums"
  end
end

return {
  name = "mars_wc",
  doc = "Count of each word of a text (Mars)",
  suite = "Mars",
  source = "Mars",
  classes = { apcm = "CS" },
  params = { kit.param("lines", 400, "Lines of the text", 1 << 20),
             kit.mars.piece },
  sizes = { tiny = { lines = 20 },
            paper = { lines = 5600, piece = 2048 } },
  paper = "24,000 words, as the published program was measured with; by " ..
          "rule it would be 360 MB",
  notes = "Only words of six letters and more count, as in the published " ..
          "program, whose tasks are 2 KB, a line at small. The " ..
          "reference's 24,000 words are taken for those.",
  loads = kit.mars.loads("mars_wc"),
  reference = { at = { lines = 5600, piece = 2048 }, minst = 291, lines = 9.0,
                hits = { 32, 43, 54, 92 } },
  run = run,
}
