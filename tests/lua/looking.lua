-- plot, report, diff and export: what they print and draw is what the file
-- holds.  Arguments: the program, and this folder.

local H = require "harness"
local core = H.import "core"
local results = H.import "look/results"
local figures = H.import "look/figures"
local shape = H.import "look/shape"
local vega = H.import "look/vega"
local wording = H.import "look/words"
local json = H.import "base/json"
local library = H.import "look/library"
local report = H.import "look/report"
local test, equal, has = H.test, H.equal, H.has

local program, here = arg[1], arg[2]
local folder = os.tmpname()
os.remove(folder)
assert(core.mkdir(folder))

local call = H.caller(program, folder)

local function read(name)
  local file = assert(io.open(folder .. "/" .. name, "rb"))
  local text = file:read("a")
  file:close()
  return text
end

local function write(name, text)
  local file = assert(io.open(folder .. "/" .. name, "wb"))
  file:write(text)
  file:close()
end

assert(call(("-q '%s/looking_runs.lua' -o one.h5"):format(here)) == 0)
assert(call(("-q '%s/looking_runs.lua' --set size=8KiB -o two.h5"):format(here)) == 0)

local function open(name)
  return assert(results.open(folder .. "/" .. name))
end
local one, two = open "one.h5", open "two.h5"

-- What `warploom stats` says the total of a statistic is.
local function total(name, file)
  local _, out = call(("stats %s %s --csv"):format(file or "one.h5", name))
  return tonumber(out:match("\n[^,]+,%d+,([^,]+),"))
end

-- What draws may not be here; what does not draw is tested all the same.
local draws = library.find() and os.execute "command -v node >/dev/null 2>&1"
local function drawing(name, f)
  if draws then return test(name, f) end
  print(("SKIPPED: %s: no Vega-Lite or node here (./setup.sh charts)")
        :format(name))
end

-- The rows of a specification's data.
local function rows_of(figure)
  return vega.specification(figure).data.values
end

-- Tags that open and close in pairs; attributes quoted; no bare & or <.
local function well_formed(text)
  local open_tags = {}
  for tag in text:gmatch("<[^>]*>") do
    local close, name, rest = tag:match("^<(/?)([%w]+)(.-)>$")
    assert(name, tag)
    if close == "/" then
      equal(table.remove(open_tags), name, "the closing tag")
    else
      assert(not rest:gsub('[%w%-:]+="[^"<]*"', ""):find("[^%s/]"), tag)
      if not rest:find("/$") then open_tags[#open_tags + 1] = name end
    end
  end
  equal(#open_tags, 0, "open tags")
  assert(not text:gsub("&%a+;", ""):find("&"), "a bare &")
end

local function request(files, names, more)
  local out = { files = files, names = {}, picks = {} }
  for i, file in ipairs(files) do out.names[i] = file:title() end
  for _, name in ipairs(names) do
    for _, pick in ipairs(files[1]:select(name)) do
      out.picks[#out.picks + 1] = pick
    end
  end
  for key, value in pairs(more or {}) do out[key] = value end
  return out
end

local function near(a, b, what)
  if math.abs(a - b) > (what == "points" and 1e-3 or 1e-9) * math.max(math.abs(a), math.abs(b)) then
    error(("%s is %s, expected %s"):format(what or "value", a, b), 2)
  end
end

test("totals are those of warploom stats", function()
  for _, name in ipairs { "gpu.sm.l1d.misses", "gpu.l2.accesses",
                          "gpu.sm.warp_insts", "gpu.sm.ldst.load_latency_min",
                          "gpu.sm.ldst.load_latency_max" } do
    equal(one:number(name), total(name), name)
    assert(one:number(name) > 0)
  end
  local ratio = one:number "gpu.sm.l1d.miss_ratio"
  assert(math.abs(ratio - total "gpu.sm.l1d.miss_ratio") < 1e-5)
  near(ratio, one:number "gpu.sm.l1d.misses" / one:number "gpu.sm.l1d.lookups")
end)

test("one instance, by its indices", function()
  local sum = 0
  for i = 0, 1 do
    local picks = one:select(("gpu.sm[%d].l1d.misses"):format(i))
    sum = sum + one:total(picks[1].stat, one:sample(), nil, picks[1].instance)
  end
  equal(sum, total "gpu.sm.l1d.misses", "sum over the SMs")
end)

test("patterns", function()
  for pattern, name in pairs {
    ["gpu.sm.l1d.misses"] = true, ["**.misses"] = true, ["misses"] = true,
    ["gpu.sm"] = true, ["gpu/sm/l1d/*iss*"] = true, ["gpu.*.misses"] = false,
    ["gpu.sm.l1d.miss"] = false, ["**.l1d.**"] = true, ["sm.*"] = false } do
    equal(results.matches(pattern, "gpu.sm.l1d.misses"), name, pattern)
  end
end)

test("bars: one row of data for each, with its value", function()
  local figure = figures.make(request({ one, two }, { "gpu.sm.l1d.misses" }))
  equal(figure.value[1][1][1], total "gpu.sm.l1d.misses")
  equal(figure.value[2][1][1], total("gpu.sm.l1d.misses", "two.h5"))
  assert(figure.value[1][1][1] ~= figure.value[2][1][1])
  local rows = rows_of(figure)
  equal(#rows, 2)
  for i, row in ipairs(rows) do
    equal(row.value, figure.value[i][1][1])
    equal(row.says, ("%s: %s request"):format(row.group,
                                              wording.exact(row.value)))
  end
end)

drawing("bars: heights are in the ratio of the values", function()
  equal(call "plot -q one.h5 two.h5 gpu.sm.l1d.misses -o heights.svg", 0)
  local heights = {}
  for name, height in read("heights.svg"):gmatch(
      'aria%-label="(%a+): [^"]*request"[^>]*d="M[^v]*v([%d.]+)') do
    heights[name] = tonumber(height)
  end
  local want = total "gpu.sm.l1d.misses" / total("gpu.sm.l1d.misses", "two.h5")
  near(heights.one / heights.two, want, "ratio")
end)

test("bars: a kernel's are the difference of two snapshots", function()
  local figure = figures.make(request({ one }, { "gpu.sm.l1d.lookups" },
                                      { by = "kernel" }))
  equal(#figure.groups, 2)
  local sum = figure.value[1][1][1] + figure.value[2][1][1]
  equal(sum, one:number "gpu.sm.l1d.lookups")
end)

test("normalised, with a mean at the right end", function()
  local names = { "gpu.sm.l1d.misses", "gpu.sm.l1d.lookups" }
  local figure = figures.make(request({ one, two }, names,
    { normalise = "one", mean = "geometric" }))
  equal(figure.groups[3], "gmean")
  equal(figure.mean_at, 3)
  for b, name in ipairs(names) do
    equal(figure.value[1][b][1], 1.0)
    local ratio = two:number(name) / one:number(name)
    near(figure.value[2][b][1], ratio, name)
    near(figure.value[3][b][1], math.sqrt(ratio), "gmean of " .. name)
  end
end)

test("stacks: segments sum to the whole", function()
  local names = { "gpu.sm.l1d.hits", "gpu.sm.l1d.pending_hits",
                  "gpu.sm.l1d.misses", "gpu.sm.l1d.bypasses" }
  local figure = figures.make(request({ one }, names, { kind = "stack",
                                                        by = "run" }))
  local sum = 0
  for _, v in ipairs(figure.value[1][1]) do sum = sum + v end
  equal(sum, one:number "gpu.sm.l1d.accesses")
  -- What is zero is left out, and the others keep their colours.
  local l2 = figures.make(request({ one }, { "gpu.l2.bypasses",
    "gpu.l2.hits", "gpu.l2.misses" }, { kind = "stack", by = "run" }))
  equal(table.concat(l2.segments, " "), "hits misses")
  local colours = vega.specification(l2).layer[1].encoding.color.scale
  equal(table.concat(colours.domain, " "), "hits misses")
  equal(table.concat(colours.range, " "), vega.palette[2] .. " " ..
        vega.palette[3])
  local shares = figures.make(request({ one }, { "gpu.sm.issue_slots" },
                                      { share = true, by = "instance" }))
  for _, group in ipairs(shares.value) do
    sum = 0
    for _, v in ipairs(group[1]) do sum = sum + v end
    near(sum, 1, "sum of shares")
  end
end)

test("a vector that is asked for is stacked; an array is a heat map", function()
  equal(figures.make(request({ one }, { "gpu.sm.issue_slots" })).kind, "bars")
  local heat = figures.make(request({ one }, { "gpu.dram.bank_accesses" }))
  equal(heat.kind, "heat")
  equal(#heat.columns, #heat.value[1])
  local sum = 0
  for _, v in ipairs(heat.value[1]) do sum = sum + v end
  equal(sum, one:number "gpu.dram.bank_accesses")
end)

test("a histogram is drawn as its cumulative shares", function()
  local figure = figures.make(request({ one },
                                      { "gpu.sm.ldst.load_latency_hist" }))
  local line = figure.lines[1]
  equal(line.y[#line.y], 1.0)
  for i = 2, #line.y do assert(line.y[i] >= line.y[i - 1]) end
  assert(line.x[#line.x] >= one:number "gpu.sm.ldst.load_latency_max" / 2)
end)

test("a series is drawn as what happened in each of its intervals", function()
  local figure = figures.make(request({ one }, { "bw:gpu.dram.bytes" }))
  local line, sum = figure.lines[1], 0
  for i = 1, #line.y do sum = sum + line.y[i] * 1e-6 end
  local stat = one:find("gpu.dram.bytes", "/series/bw")
  local values = one:values(stat.path)
  near(sum, values[#values], "bytes")
  equal(figure.unit, "byte/s")
end)

drawing("every kind of figure is well-formed SVG, the same each time", function()
  for _, line in ipairs {
    "one.h5 two.h5 gpu.sm.l1d.miss_ratio gpu.l2.miss_ratio --mean geometric",
    "one.h5 gpu.sm.issue_slots --share --by kernel",
    "one.h5 gpu.sm.l1d.misses gpu.sm.l1d.hits --log --by kernel",
    "one.h5 gpu.dram.bank_accesses", "one.h5 gpu.sm.ipc --kind heat",
    "one.h5 two.h5 gpu.sm.ldst.load_latency_hist",
    "one.h5 two.h5 bw:gpu.dram.bytes --title 'a < b & \"c\"'",
    "one.h5 two.h5 gpu.sm.issue_slots --share --facet run --by kernel --hatch",
    "one.h5 two.h5 gpu.sm.l1d.misses --right gpu.sm.l1d.miss_ratio",
    "one.h5 bw:gpu.dram.bytes --right bw:gpu.dram.reads --width column",
  } do
    local status, _, errors = call("plot -q -o a.svg " .. line)
    equal(status, 0, line .. errors)
    equal(errors, "", line) -- Vega warns there
    well_formed(read "a.svg")
    equal(call("plot -q -o b.svg " .. line), 0)
    equal(read "a.svg" == read "b.svg", true, "the same bytes")
  end
end)

drawing("a figure can be PNG or a page, by its name", function()
  local command = "plot -q one.h5 gpu.sm.issue_slots -o a."
  if os.execute "command -v rsvg-convert >/dev/null 2>&1" then
    equal(call(command .. "png"), 0)
    equal(read("a.png"):sub(1, 8), "\137PNG\r\n\26\n")
  else
    print "SKIPPED: PNG: there is no rsvg-convert here"
  end
  equal(call(command .. "html"), 0)
  local html = read "a.html"
  has(html, '"says":"')
  has(html, "vegaEmbed=")
  assert(not html:find("<script[^>]*src=") and not html:find("<link"))
end)

test("a figure as a specification, without what draws it", function()
  equal(call "plot -q one.h5 two.h5 gpu.sm.l1d.misses -o a.json", 0)
  local text = read "a.json"
  has(text, ('"value":%d}'):format(total "gpu.sm.l1d.misses"))
  -- A copy of the program that has nothing beside it.
  assert(os.execute(("mkdir '%s/bin' && cp '%s' '%s/bin'"):format(folder,
                    program, folder)))
  local alone = ("bin/%s"):format(program:match("[^/]+$"))
  local function run(line)
    local pipe = io.popen(("cd '%s' && env -u WARPLOOM_CHARTS %s %s 2>&1")
                          :format(folder, alone, line))
    local out = pipe:read("a")
    local _, _, status = pipe:close()
    return status, out
  end
  equal(run "plot -q one.h5 two.h5 gpu.sm.l1d.misses -o b.json", 0)
  equal(read "b.json", text)
  for _, line in ipairs { "plot one.h5 gpu.sm.l1d.misses -o alone.svg",
                          "report one.h5 -o alone.html" } do
    local status, out = run(line)
    equal(status, 1, line)
    has(out, "./setup.sh charts")
    equal(select(2, out:gsub("\n", "")), 1, "lines of " .. out)
  end
  equal(core.kind(folder .. "/alone.svg"), nil)
  equal(core.kind(folder .. "/alone.html"), nil)
end)

test("messages of plot", function()
  for words, what in pairs {
    ["one.h5 gpu.sm.l1d.mises"] = "did you mean 'gpu.sm.l1d.misses'?",
    ["none.h5 misses"] = "none.h5",
    ["one.h5 gpu.sm.l1d.misses gpu.dram.bytes"] = "one axis cannot show both",
    ["one.h5 gpu.sm.l1d.misses --kind bars"] = "did you mean 'bar'?",
    ["one.h5 gpu.sm.l1d.misses --kind cdf"] = "is no histogram",
    ["one.h5 gpu.sm.l1d.misses --kind line"] = "is no series",
    ["one.h5 gpu.sm.l1d.misses --by kernels"] = "did you mean 'kernel'?",
    ["one.h5 two.h5 gpu.sm.l1d.misses --by kernel"] = "looks at one file",
    ["one.h5 two.h5 gpu.sm.l1d.misses --normalise on"] = "did you mean 'one'?",
    ["one.h5 gpu.sm.l1d.misses --mean middle"] = "geometric",
    ["one.h5 gpu.sm.l1d.misses --sample x"] = "has no snapshot 'x'",
    ["one.h5 gpu.sm.l1d.misses --width huge"] = "expected column, page or a",
    ["one.h5 gpu.sm.l1d.misses --width 10"] = "expected a number",
    ["one.h5 gpu.sm.l1d.misses --facet size"] = "it is 'run'",
    ["one.h5 gpu.dram.bank_accesses --right misses"] = "goes with bars and",
    ["one.h5 gpu.sm.l1d.misses --right 'gpu.l2.*hits'"] = "names 2 statistics",
    ["one.h5 gpu.sm.issue_slots --log"] = "parts do not add up",
    ["one.h5 '**'"] = "a figure shows at most 16",
    ["one.h5 'gpu.sm[7].l1d.misses'"] = "has no instance 'gpu.sm[7].l1d'",
  } do
    local status, _, errors = call("plot -o x.svg " .. words)
    equal(status, 1, words)
    has(errors, what)
  end
  equal(call "plot one.h5", 2)
  equal(call "plot", 2)
  equal(core.kind(folder .. "/x.svg"), nil, "a figure after an error")
  local status, _, errors = call "plot one.h5 misses -o none/x.json"
  equal(status, 5)
  has(errors, "none/x.json")
  status, _, errors = call "plot one.h5 misses -o x.eps"
  equal(status, 1)
  has(errors, ".svg, .pdf, .png, .html or .json")
end)

test("damaged and foreign files are refused", function()
  local text = read "one.h5"
  for _, size in ipairs { 0, 100, 5000, #text // 2, #text - 1 } do
    write("cut.h5", text:sub(1, size))
    for _, words in ipairs { "plot -q cut.h5 gpu.sm.l1d.misses -o c.svg",
                             "report -q cut.h5 -o c.html",
                             "export -q cut.h5 -o c.csv",
                             "diff -q cut.h5 one.h5" } do
      local status, _, errors = call(words)
      assert(status == 1 or status == 2, ("%s: %s"):format(words, status))
      has(errors, "cut.h5")
    end
  end
end)

test("what is not there leaves a gap, and no mean", function()
  local nan = 0 / 0
  local bars = { kind = "bars", groups = { "a", "b" }, bars = { "x", "y" },
                 segments = { "" }, y = "", value = { { { 1 }, { nan } },
                                                      { { 2 }, {} } } }
  shape.finish(bars, { mean = "arithmetic" })
  equal(bars.value[3][1][1], 1.5)
  assert(bars.value[3][2][1] ~= bars.value[3][2][1])
  equal(#rows_of(bars), 3, "bars")
  equal(#rows_of { kind = "heat", rows = { "a" }, columns = { "x", "y", "z" },
                   value = { { 1, nan, 3 } } }, 2, "cells")
  local rows = rows_of { kind = "lines", lines = { { name = "a", x = { 1, 2, 3 },
                                                     y = { 1, nan, 2 } } } }
  equal(#rows, 3)
  equal(json.encode(rows[2]), '{"name":"a","x":2,"y":null}')
end)

test("colours: eight, then hatched; dashes for the lines beyond", function()
  local lines, bars = {}, {}
  for i = 1, 12 do
    lines[i] = { name = "l" .. i, x = { 1, 2 }, y = { i, i } }
    bars[i] = "b" .. i
  end
  local figure = { kind = "lines", lines = lines }
  local encoding = vega.specification(figure).layer[1].encoding
  equal(encoding.color.scale.range[9], vega.palette[1])
  equal(json.encode(encoding.strokeDash.scale.range[9]), "[7,3]")
  figure = { kind = "bars", groups = { "g" }, bars = bars, segments = { "" },
             value = { {} } }
  local function fills(all)
    figure.hatch = all
    local spec = vega.specification(figure)
    local range, seen = spec.layer[1].encoding.color.scale.range, {}
    for _, fill in ipairs(range) do
      assert(not seen[fill], fill)
      seen[fill] = true
      local id = fill:match "^url%(#([^)]*)%)"
      if id then has(spec.usermeta.patterns, ('<pattern id="%s"'):format(id)) end
    end
    equal(#range, 12)
    return range
  end
  local range = fills(nil)
  equal(range[8], vega.palette[8])
  has(range[9], "url(#hatch-1-0072B2) " .. vega.palette[1])
  -- With --hatch no two have the same pattern, whatever their colours.
  local patterns = {}
  for i, fill in ipairs(fills(true)) do
    local pattern = fill:match "^url%(#hatch%-(%d+)%-" or "none"
    assert(not patterns[pattern], i .. ": " .. fill)
    patterns[pattern] = true
  end
  local known = {}
  for _, colour in ipairs(vega.palette) do
    assert(not known[colour], colour)
    known[colour] = true
  end
  equal(#vega.palette, 16)
  figure = { kind = "lines", lines = lines, hatch = true, points = true }
  encoding = vega.specification(figure).layer[2].encoding
  equal(encoding.shape.scale.range[1] ~= encoding.shape.scale.range[2], true)
end)

test("the baseline stands first", function()
  local figure = figures.make(request({ one, two }, { "gpu.sm.l1d.misses" },
                                      { normalise = "two" }))
  equal(table.concat(figure.groups, " "), "two one")
  equal(figure.value[1][1][1], 1.0)
  near(figure.value[2][1][1], one:number "gpu.sm.l1d.misses" /
       two:number "gpu.sm.l1d.misses")
  figure = figures.make(request({ one, two }, { "gpu.sm.l1d.misses",
    "gpu.sm.l1d.lookups" }, { normalise = "lookups" }))
  equal(table.concat(figure.bars, " "), "lookups misses")
  near(figure.value[2][2][1], two:number "gpu.sm.l1d.miss_ratio")
end)

test("two axes: numbers of the right one, and its unit", function()
  local right = request({ one, two }, { "gpu.sm.l1d.miss_ratio" }).picks
  local figure = figures.make(request({ one, two }, { "gpu.sm.l1d.misses" },
                                      { right = right }))
  for _, file in ipairs { one, two } do
    equal(figure.right.value[file:title()][1],
          file:number "gpu.sm.l1d.miss_ratio")
  end
  local spec = vega.specification(figure)
  equal(spec.resolve.scale.y, "independent")
  equal(spec.layer[2].encoding.y.axis.orient, "right")
  right = request({ one }, { "bw:gpu.dram.reads" }).picks
  figure = figures.make(request({ one }, { "bw:gpu.dram.bytes" },
                                { right = right }))
  equal(#figure.lines, 2)
  equal(figure.lines[2].name, "reads (right)")
  equal(figure.right_y, "reads [event/s]")
end)

test("facets: one figure for each run, with the same series", function()
  local figure = figures.make(request({ one, two }, { "gpu.sm.issue_slots" },
    { facet = "run", by = "kernel", share = true }))
  equal(figure.kind, "facets")
  equal(#figure.figures, 2)
  equal(figure.legend, "slot")
  for i, file in ipairs { one, two } do
    local part = figure.figures[i]
    equal(part.title, file:title())
    equal(#part.groups, #file:kernels())
    equal(table.concat(part.segments, " "),
          table.concat(figure.figures[1].segments, " "))
    local sum = 0
    for _, v in ipairs(part.value[1][1]) do sum = sum + v end
    near(sum, 1)
  end
  local spec = vega.specification(figure)
  equal(#spec.concat, 2)
  equal(spec.resolve.scale.y, "shared")
  figure = figures.make(request({ one, two },
    { "gpu.sm.ldst.load_latency_hist" }, { facet = "run" }))
  equal(figure.figures[2].kind, "lines")
end)

test("in the size of a paper's column", function()
  local figure = figures.make(request({ one, two }, { "gpu.sm.l1d.misses" },
                                      { page = "column" }))
  local spec = vega.specification(figure)
  equal(spec.width, 334)
  equal(spec.title.text, "")
  near(spec.config.axis.titleFontSize * 72 / 96, 8, "points")
  near(spec.config.axis.labelFontSize * 72 / 96, 7, "points")
end)

test("a page keeps the colours of many series", function()
  local page, names = {}, {}
  for i = 1, 10 do names[i] = "n" .. i end
  local function colours(values)
    local figure = { kind = "bars", groups = { "g" }, bars = { "" },
                     segments = table.move(names, 1, 10, 1, {}),
                     value = { { values } } }
    shape.finish(figure, { colours = page })
    local out = {}
    for s, name in ipairs(figure.segments) do
      out[s] = name .. "=" .. figure.colours[s]
    end
    return table.concat(out, " ")
  end
  equal(colours { 500, 0, 0, 300, 0, 0, 0, 0, 1, 2 }, "n1=1 n4=2 n9=3 n10=4")
  equal(colours { 0, 90, 80, 70, 0, 0, 0, 0, 0, 0 }, "n2=5 n3=6 n4=2")
  equal(colours { 500, 1, 1, 300, 1, 1, 1, 1, 1, 1 }, "n1=1 n4=2 8 others=16")
end)

test("a ratio of nothing is a gap, not 0", function()
  local heat = figures.make(request({ one }, { "gpu.sm.l1d.miss_ratio" },
                                    { kind = "heat" }))
  local cells = 0
  for r = 1, 2 do
    for k = 1, 2 do
      local pick = one:select(("gpu.sm[%d].l1d.lookups"):format(r - 1))[1]
      local kernel = one:kernels()[k]
      local looked = one:total(pick.stat, kernel.end_, kernel.begin,
                               pick.instance)
      equal(heat.value[r][k] == heat.value[r][k], looked > 0)
      cells = cells + (looked > 0 and 1 or 0)
    end
  end
  equal(#rows_of(heat), cells)
end)

test("JSON", function()
  for text, value in pairs {
    ['{"a":[1,2.5,null],"b":[],"c":{}}'] = { a = { 1, 2.5, 0 / 0 },
      b = json.empty, c = {} },
    ['"a\\"b\\\\c\\n\\u003c/script>\\u0001"'] = 'a"b\\c\n</script>\1',
    ["0.1"] = 0.1, ["1e+300"] = 1e300, ["-3"] = -3, ["true"] = true,
    ["0.30000000000000004"] = 0.1 + 0.2, ["null"] = json.null,
    ['"?"'] = "\255" } do
    equal(json.encode(value), text)
  end
end)

test("numbers for people", function()
  for value, text in pairs { [0] = "0", [1234] = "1234", [12345] = "12.35 k",
                             [2.5e6] = "2.5 M", [0.125] = "0.125",
                             [178e9] = "178 G" } do
    equal(wording.number(value), text)
  end
  equal(wording.exact(1234567), "1,234,567")
end)

drawing("report: charts, summary, provenance", function()
  local html, count = report.build({ folder .. "/one.h5" }, {})
  assert(count >= 8, count)
  local _, figures_in = html:gsub("<figure>", "")
  equal(figures_in, count, "figures")
  has(html, "<title>atax on tiny</title>")
  -- Shares of the two schedulers, from their own counters.
  local stat = assert(one:find "gpu.sm.scheduler_issued")
  local issued = 0
  for _, list in ipairs((one:table_of(stat, one:sample()))) do
    issued = issued + list[2]
  end
  local cycles = one:number "gpu.sm.issue_slots" / 2
  has(html, ('"says":"scheduler 1, issued: %.6g"'):format(issued / cycles))
  has(html, "<td>workload</td><td class=\"n\">atax</td>")
  has(html, one.attributes.state_digest:sub(1, 16))
  assert(not html:find("<script[^>]* src=") and not html:find("<link"),
         "a report needs nothing else")
  local both, more = report.build({ folder .. "/one.h5", folder .. "/two.h5" },
                                  {})
  assert(more >= 6)
  has(both, "<td>gpu.sm.l1d.size_bytes</td><td>4096 byte</td>" ..
      "<td>8192 byte</td>")
  equal(call "report nothing.h5", 1)
  equal(call "report", 2)
end)

test("diff", function()
  equal(call "diff one.h5 one.h5", 0)
  local status, out = call "diff one.h5 two.h5"
  equal(status, 1)
  has(out, "gpu.sm.l1d.size_bytes")
  has(out, "gpu.sm.l1d.misses")
  local misses = ("%s.-%s"):format(wording.exact(total "gpu.sm.l1d.misses"),
    wording.exact(total("gpu.sm.l1d.misses", "two.h5")))
  assert(out:find("gpu.sm.l1d.misses +" .. misses), out)
  -- Only the configuration differs if numbers may differ by any factor.
  status, out = call "diff one.h5 two.h5 gpu.sm.l1d.misses --rel 1"
  equal(status, 1)
  has(out, "0 statistics differ")
  equal(call "diff one.h5 none.h5", 2)
  equal(call "diff one.h5", 2)
  local _, _, errors = call "diff one.h5 two.h5 --rel much"
  has(errors, "--rel is 'much'")
end)

test("diff: a run repeated is equal", function()
  assert(call(("-q '%s/looking_runs.lua' -o again.h5"):format(here)) == 0)
  local status, out = call "diff one.h5 again.h5"
  equal(status, 0, out)
end)

-- In files of many runs each value of a column that differs has a row.
test("diff: of merged files, point by point", function()
  assert(core.mkdir(folder .. "/turned"))
  write("turned/one.h5", read "two.h5")
  write("turned/two.h5", read "one.h5")
  equal(call "merge -q one.h5 two.h5 -o ahead.h5", 0)
  equal(call "merge -q turned/one.h5 turned/two.h5 -o turned.h5", 0)
  local status, out = call "diff ahead.h5 turned.h5"
  equal(status, 1)
  local _, rows = call "export ahead.h5 cycles"
  local cycles = {}
  for label, value in rows:gmatch "cycles,(%w+),,(%d+)" do
    cycles[label] = value
  end
  for label, other in pairs { one = "two", two = "one" } do
    assert(out:find(("cycles of run=%s +%s +%s "):format(label, cycles[label],
      cycles[other])), out)
  end
  _, out = call "diff --json ahead.h5 turned.h5"
  has(out, ('"name":"metrics.cycles of run=two","remark":"","second":"%s"')
      :format(cycles.one))
end)

test("export: as CSV", function()
  local status, out = call "export one.h5 gpu.sm.l1d.misses --sample last"
  equal(status, 0)
  local sum, rows = 0, 0
  for line in out:gmatch("[^\n]+") do
    local value = tonumber(line:match(",,(%d+),request,%d+$"))
    if value then sum, rows = sum + value, rows + 1 end
  end
  equal(rows, 2)
  equal(sum, total "gpu.sm.l1d.misses")
  call "export one.h5 -o all.csv"
  local _, lines = read("all.csv"):gsub("\n", "")
  local values = 1
  for _, root in ipairs { "/stats", "/series/bw" } do
    for _, stat in ipairs(one:stats(root)) do
      local n = 1
      for _, d in ipairs(stat.item.dims) do n = n * d end
      values = values + n
    end
  end
  equal(lines, values, "lines of all.csv")
end)

test("export: as SQLite", function()
  if not os.execute "command -v sqlite3 >/dev/null 2>&1" then
    print "SKIPPED: export to SQLite: there is no sqlite3 here"
    return
  end
  equal(call "export -q --sqlite one.h5 two.h5 -o runs.db", 0)
  local pipe = io.popen(("sqlite3 '%s/runs.db' \"SELECT run, SUM(value) " ..
    "FROM numbers WHERE statistic = 'gpu.sm.l1d.misses' AND sample = 2 " ..
    "GROUP BY run\""):format(folder))
  local out = pipe:read("a")
  pipe:close()
  equal(out, ("one|%d\ntwo|%d\n"):format(total "gpu.sm.l1d.misses",
        total("gpu.sm.l1d.misses", "two.h5")))
end)

test("merge: runs side by side, as a sweep's file", function()
  local status, out, errors = call "merge one.h5 two.h5 -o both.h5"
  equal(status, 0, errors)
  has(out, "wrote both.h5: 2 runs")
  local _, rows = call "export both.h5 gpu.sm.l1d.misses"
  equal(rows, ("column,run,entry,value,unit\n" ..
    "gpu.sm.l1d.misses,one,,%d,request\ngpu.sm.l1d.misses,two,,%d,request\n")
    :format(total "gpu.sm.l1d.misses", total("gpu.sm.l1d.misses", "two.h5")))
  _, rows = call "export both.h5 cycles"
  local samples = one:samples()
  has(rows, ("cycles,one,,%d,cycle"):format(samples[#samples].cycle))
  equal(call "merge -q one.h5 two.h5 -o again.h5", 0)
  equal(read "both.h5" == read "again.h5", true, "the same bytes")
  equal(call "diff both.h5 again.h5", 0)
  equal(call "plot -q both.h5 cycles -o c.json", 0)
  has(read "c.json", '"group":"two"')
  for words, what in pairs {
    ["merge one.h5 one.h5"] = "is named twice",
    ["merge one.h5 both.h5"] = "merge takes files of single runs",
    ["merge one.h5 two.h5 -o two.h5"] = "is one of the files",
    ["plot both.h5 '**'"] = "shows one column",
    ["plot both.h5 cycle"] = "did you mean 'cycles'?",
    ["plot both.h5 cycles --only ran=one"] = "did you mean 'run'?",
    ["plot both.h5 cycles --only run=on"] = "did you mean 'one'?",
    ["plot both.h5 cycles --kind line"] = "bar, stack, heat or cdf",
    ["plot both.h5 cycles --facet rum"] = "did you mean 'run'?",
    ["plot both.h5 cycles --right cycls"] = "did you mean 'cycles'?",
    ["plot one.h5 both.h5 cycles"] = "is a merged file",
    ["report both.h5 one.h5"] = "is a merged file",
  } do
    status, _, errors = call(words)
    equal(status, 1, words)
    has(errors, what)
  end
  equal(call "merge", 2)
end)

test("what a command cannot read it names", function()
  equal(call "merge -q one.h5 two.h5 -o many.h5", 0)
  write("some.wlt", "\x89WLT\r\n\x1a\n and so on")
  assert(core.mkdir(folder .. "/empty"))
  for words, what in pairs {
    ["stats many.h5"] = "many runs side by side, a sweep's or those of " ..
                        "warploom merge: use warploom export, plot, report",
    ["stats --series bw many.h5"] = "many runs side by side",
    ["diff one.h5 many.h5"] = "diff compares it with another of these",
    ["diff many.h5 one.h5"] = "diff compares it with another of these",
    ["merge many.h5 one.h5"] = "merge takes files of single runs",
    ["energy many.h5"] = "warploom energy takes files of single runs",
    ["stats some.wlt"] = "a recording; warploom disasm",
    ["export some.wlt"] = "a recording; warploom disasm",
    ["report ./empty"] = "is a folder, expected a file",
    ["stats one.h5 --series bv"] = "has no series 'bv'; it has 'bw'",
    ["stats one.h5 'gpu.sm[7].l1d.misses'"] = "has no instance 'gpu.sm[7].l1d'",
  } do
    local status, _, errors = call(words)
    assert(status == 1 or status == 2, words .. ": " .. status)
    has(errors, what)
  end
end)

test("labels reach terminals and spreadsheets tamed", function()
  write("label.lua", [[
local loom = require "warploom"
loom.run { machine = loom.preset.tiny {}, stats = { file = "label.h5" },
  workload = function(dev)
    dev:snapshot "=1+1\27]0;title\7"
    dev:snapshot "-5"
    dev:snapshot "@x,\"y\""
  end }
]])
  local status, _, errors = call "-q label.lua -o label.h5"
  equal(status, 0, errors)
  for _, words in ipairs { "stats label.h5 --sample 0",
      "stats label.h5 --sample 'no\27[2J'", "diff label.h5 one.h5",
      "export label.h5 gpu.sm.warps", "plot label.h5 gpu.sm.warps --by x\27[2J",
      "stats label.h5 --sample 0 --all --csv" } do
    local _, printed, said = call(words)
    assert(not (printed .. said):find("[\0-\8\11-\31\127]"), words)
  end
  local _, out = call "export label.h5 gpu.sm.warps"
  has(out, "'=1+1?]0;title?,")
  has(out, ",-5,")
  has(out, "\"'@x,\"\"y\"\"\",")
  local csv = H.import "base/csv"
  for text, cell in pairs { ["+1"] = "+1", ["-1.5e-3"] = "-1.5e-3",
                            ["-1+2"] = "'-1+2", ["=x"] = "'=x", [""] = "",
                            ["\tx"] = "'\tx", ["a\"b"] = '"a""b"',
                            ["plain"] = "plain" } do
    equal(csv.cell(text), cell)
  end
  equal(csv.line(1, 0.5, 0 / 0, nil, "-x"), "1,0.5,,,'-x")
end)

test("a sweep's file: bars over its axes, a part of it, a heat map", function()
  write("sweep.lua", [[
local loom = require "warploom"
return loom.experiment {
  name = "s", order = { "bench", "sched", "l1" },
  axes = { bench = { "atax", "vectoradd" }, l1 = { 4096, 8192 },
           sched = { lrr = loom.lrr {}, gto = loom.gto {} } },
  base = function(p)
    local gpu = loom.preset.tiny {}
    gpu:each "sm[*].l1d":set { size_bytes = p.l1 }
    gpu:each "sm[*]":attach(p.sched)
    return { machine = gpu, workload = loom.suite[p.bench] { size = "tiny" } }
  end,
  derive = { speedup = function(t)
    return t.cycles:normalise({ sched = "lrr" }, "inverse")
  end, mean = function(t) return t.speedup:mean("bench", "geometric") end,
  one = function(t)
    return t.mean:at { sched = "gto" }:mean("l1", "arithmetic")
  end },
}]])
  local status, _, errors = call "sweep -q sweep.lua -o s"
  equal(status, 0, errors)
  local file = open "s/results.h5"
  local merged = H.import "look/merged"
  local function figure(name, more)
    local wanted = { files = { file }, patterns = { name } }
    for key, value in pairs(more or {}) do wanted[key] = value end
    return merged.make(wanted)
  end
  local f = figure "cycles"
  equal(table.concat(f.groups, " "), "atax vectoradd")
  equal(table.concat(f.bars, ","), "gto 4096,gto 8192,lrr 4096,lrr 8192")
  local cycles = file:values "/metrics/cycles"
  for g = 1, 2 do
    for b = 1, 4 do equal(f.value[g][b][1], cycles[(g - 1) * 4 + b]) end
  end
  -- An SM without loads has no smallest latency, not one of 0.
  for _, v in ipairs(file:values "/stats/gpu/sm/ldst/load_latency_min") do
    assert(v > 0)
  end
  f = figure("speedup", { only = "l1=4096", by = "sched" })
  equal(table.concat(f.groups, " "), "lrr gto") -- the baseline first
  equal(table.concat(f.bars, " "), "atax vectoradd")
  equal(f.legend, "bench")
  equal(f.value[1][1][1], 1.0)
  near(f.value[2][2][1], cycles[7] / cycles[5], "speedup of vectoradd")
  -- Numbers stay in their order; a figure for each value of an axis.
  local function drawn(name, more)
    local wanted = { files = { file }, patterns = { name } }
    for key, value in pairs(more or {}) do wanted[key] = value end
    return merged.make(wanted)
  end
  local small = drawn("speedup", { facet = "sched" })
  equal(#small.figures, 2)
  equal(small.figures[2].title, "lrr")
  equal(table.concat(small.figures[1].bars, " "), "4096 8192")
  near(small.figures[1].value[2][1][1], cycles[7] / cycles[5])
  equal(small.figures[1].groups[3], "gmean")
  equal(small.legend, "l1")
  -- Another column at the right, by the same names.
  f = drawn("cycles", { right = { "speedup" } })
  near(f.right.value.vectoradd[1], cycles[7] / cycles[5])
  equal(f.right.value.atax[3], 1.0)
  equal(f.legend, "sched, l1")
  -- How the values along the figure are distributed.
  f = drawn("cycles", { kind = "cdf", by = "l1", only = "sched=gto" })
  equal(#f.lines, 2)
  equal(f.lines[1].y[2], 1.0)
  equal(f.lines[1].x[1], math.min(cycles[1], cycles[2]))
  equal(f.y, "share of l1")
  f = figure("cycles", { kind = "heat", only = "sched=gto" })
  equal(f.kind, "heat")
  equal(f.value[2][2], cycles[6])
  -- Stacks in groups: bars have names, thin ones in the note.
  f = figure "gpu.sm.l1d.misses_by_kind"
  assert(#f.segments > 1 or f.segments[1] ~= "", "a vector of a sweep")
  f.segments = { "load", "store" }
  local named = vega.specification(f).layer[2].data.values
  equal(named[#named].bar, "lrr 8192")
  for i = 1, 40 do f.groups[i] = "g" .. i end
  has(vega.specification(f).title.subtitle[1],
      "Bars of each group: gto 4096, gto 8192, lrr 4096")
  -- What is relative to a baseline has a line there, and the mean that the
  -- script takes of it.
  f = figure "speedup"
  equal(f.reference, 1)
  equal(f.note, "Relative to sched=lrr")
  equal(f.groups[3], "gmean")
  near(f.value[3][1][1], math.sqrt(f.value[1][1][1] * f.value[2][1][1]))
  equal(figure("speedup", { mean = "none" }).groups[3], nil)
  equal(figure("speedup", { by = "l1" }).mean_at, nil)
  equal(figure("cycles").reference, nil)
  f = figure("cycles", { normalise = "lrr 4096", mean = "geometric" })
  equal(f.groups[3], "gmean")
  equal(f.bars[1], "lrr 4096") -- the baseline first
  equal(f.value[1][1][1], 1.0)
  if draws then
    local html, count = report.build({ folder .. "/s/results.h5" }, {})
    assert(count >= 4, count)
    has(html, "<td>sched</td><td>gto, lrr</td>")
  end
  equal(call "export -q --sqlite s/results.h5 -o s.db", 0)
  -- A column without axes has one row, and one bar.
  local _, rows = call "export -q s/results.h5 one"
  f = figure("mean", { only = "sched=gto", by = "l1" })
  near(tonumber(rows:match "\none,[^\n]*,([^,]+),1\n"),
       (f.value[1][1][1] + f.value[2][1][1]) / 2)
  equal(#figure("one").groups, 1)
end)

os.execute(("rm -r '%s'"):format(folder))
H.finish()
