-- mars_pvc: hits of each URL in a web log, after Mars.

local kit = require "warploom.kit"

local tab, newline = 9, 10

local function make(p)
  local random = kit.random(p.seed)
  local words, lines = kit.words(random, 300), {}
  for i = 1, p.lines do
    if i > 1 and random(10) == 0 then
      lines[i] = lines[1 + random(i - 1)]
    else
      local page = words[1 + random(1 + random(#words))]
      lines[i] = ("http://www.%s.com/index.html\t10.%d.%d.7\t%d\n"):format(
        page, random(200), random(200), random(100000))
    end
  end
  return table.concat(lines)
end

-- One job: map, sort, copy, find the groups, whose texts end with byte `last`.
-- Returns sorted keys and values, and where groups begin.
local function job(dev, input, value_bytes, last)
  local tasks, padded = input.tasks, kit.mars.padded(input.tasks)
  local keys, values, entries = kit.mars.map_pairs(dev, {
    count = "mars_pvc_count", map = "mars_pvc_map", tasks = tasks,
    padded = padded, keys = input.keys, key_bytes = 16,
    values = input.values, value_bytes = 8 })
  kit.mars.sort(dev, "mars_pvc", entries, keys, padded, last)
  local sorted = kit.mars.copy(dev, "mars_pvc", entries, values, 1,
                               value_bytes, tasks)
  keys = kit.mars.copy(dev, "mars_pvc", entries, keys, 0, 16, tasks)
  return keys, sorted, kit.mars.groups(dev, "mars_pvc", keys, tasks, last)
end

-- The first of each group as the input of the next job.
local function reduce(dev, keys, values, starts)
  local groups = #starts - 1
  local to = { tasks = groups,
               keys = dev:alloc({ type = "u8", count = 16 * groups },
                                "input_keys"),
               values = kit.zeros(dev, "i32", 2 * groups, "input_values") }
  kit.row(dev, "mars_pvc_reduce", groups, 256,
          { dev:upload(dev:array("i32", starts), "start"), keys, values,
            to.keys, to.values, groups })
  return to
end

local function run(dev, p)
  local text = make(p)
  dev:module "mars_pvc.ptx"
  local log = kit.mars.upload(dev, text, "text")
  local begins, keys, values = kit.mars.tasks(dev, text), {}, {}
  local tasks = #begins - 1
  for i = 0, tasks - 1 do
    keys[i + 1] = ("<I8i4i4"):pack(log.address, begins[i], 0)
    values[i + 1] = ("<i4i4"):pack(0, begins[i + 1] - begins[i] - 1)
  end
  local sorted, visits, starts = job(dev, {
    tasks = tasks, keys = kit.mars.upload(dev, table.concat(keys),
                                          "input_keys"),
    values = kit.mars.upload(dev, table.concat(values), "input_values") }, 8,
    newline)
  local pages, _, groups = job(dev, reduce(dev, sorted, visits, starts), 4,
                               tab)

  return function()
    local want, seen, got = {}, {}, {}
    for line, url in text:gmatch "(([^\t\n]+)[^\n]*)\n" do
      if not seen[line] then want[url] = (want[url] or 0) + 1 end
      seen[line] = true
    end
    local key = kit.mars.as("i32", pages)
    for g = 1, #groups - 1 do
      local at = key[4 * groups[g] + 2]
      local url = text:match("[^\t]+", at + 1)
      dev:check(not got[url], url .. " has two groups")
      got[url] = groups[g + 1] - groups[g]
      dev:check(got[url] == want[url], ("%s has %d visits"):format(url,
                got[url]))
    end
    for url in next, want do dev:check(got[url], url .. " is missing") end
    dev:verified "the visits of all pages"
  end
end

return {
  name = "mars_pvc",
  doc = "Hits of each URL in a web log (Mars)",
  suite = "Mars",
  source = "Mars",
  classes = { dacache = "divergent" },
  params = { kit.param("lines", 700, "Lines of the log", 1 << 20) },
  sizes = { tiny = { lines = 40 }, paper = { lines = 100000 } },
  paper = "DaCache: \"100K\" records",
  notes = "One line in ten is there twice.",
  loads = kit.mars.pair_loads("mars_pvc_count", "mars_pvc_map", {
    mars_pvc_count = { input = "streaming divergent",
                       input_values = "streaming coherent" },
    mars_pvc_map = { input = "mixed divergent",
                     input_keys = "intra divergent",
                     input_values = "intra coherent",
                     ["(loaded)"] = "intra divergent" },
    mars_pvc_sort = { directory = "mixed divergent", keys = "inter divergent",
                      ["(loaded)"] = "intra divergent" },
    mars_pvc_copy = { directory = "mixed divergent", values = "inter divergent",
                      keys = "mixed divergent" },
    mars_pvc_group = { sorted_keys = "intra divergent",
                       ["(loaded)"] = "intra divergent" },
    mars_pvc_reduce = { start = "intra coherent",
                        sorted_keys = "mixed divergent",
                        sorted_values = "inter divergent" } }),
  reference = { at = { lines = 2048 }, minst = 119.5, lines = 5.8,
                hits = { 55, 81, 92, 96 } },
  run = run,
}
