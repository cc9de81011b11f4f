-- docs/suite.md, from the declarations of the suite's files.

local import = ...
local suite = import "suite/suite"
local command = import "suite/command"
local text = import "base/text"

local M = {}

local head = [[
# The suite

Generated from the files of `workloads/suite/` by `warploom suite list
--markdown`; do not edit.

The benchmarks that five papers name, written for this project after the
published algorithms: CUDA C in `workloads/suite/NAME/NAME.cu`, compiled to PTX
by clang with `-O2`, a host program in `NAME.lua`, an input made from a seed,
and a check against the CPU.

```lua run
local loom = require "warploom"

loom.run { machine = loom.preset.tiny {},
           workload = loom.suite.atax { size = "tiny", seed = 3, rows = 64 } }
for _, name in ipairs(loom.suite.list { paper = "apcm", class = "CS" }) do
  print(name)
end
```

`size` is `tiny` (for tests), `small` (the default: the papers' cache pressure
at up to four million warp instructions), `paper` (what a paper states) or
`reference` (what the published program was measured with); parameters beside it
override its own. `seed` changes the input, `verify = false` leaves the check
out.

```sh
warploom suite list --paper apcm --class CS
warploom suite verify --size tiny            # functionally; --timed: in time
warploom suite measure atax bfs --loads      # locality, without timing
warploom suite measure atax --replacement dip,drrip
warploom suite measure --csv                 # the same for programs
warploom suite measure spmv --set band=1536 --model index=folded
```

`verify` goes on after a program that fails and lists those at the end, with
those that have no such size; its status is 3 if any failed. `--set` gives the
benchmarks other parameters. `tiny` and `small` are checked completely. At
`paper`, where the CPU would need minutes, a part is, drawn by the seed: some
steps, each from what the device had before it, or some rows or planes; the line
says how many. All 53 with this size were verified; the longest took minutes of
one core: `mri_gridding` 16 (28 of 256 planes), `fdtd2d` 12 (7 of 500 steps),
`mm2` 6, `stencil3d` 4 (5 of 100 steps), `cp` 2 (4 of 512 rows).

*Paper* says where that size is from: DaCache's table 1, LoSCache ("default":
the published program's); *by rule*: 8 waves of CTAs on APCM's 15 SMs, as what
APCM used is not known. Where no paper states one, it is the published program's
default. `sl1_*` are the streaming applications of BigKernel in S-L1's table 1,
which states no sizes; `mars_*` are after He et al., PACT 2008, with the host's
prefix sums.

`measure` executes the kernels without timing into a functional model of L1
caches ([0012](decisions/0012-a-functional-model-of-locality.md)): 15 SMs that
hold up to 8 CTAs and 1536 threads, loose round robin, lines of 128 bytes, LRU,
write-evict without allocation; 16, 32, 48 and 128 KB. *Lines per load* are the
distinct lines that a warp's load touches. A load is *divergent* with more than
2 on average. Its *locality* says what its lines in the largest cache hit on:
less than a quarter of them hit, *streaming*; three quarters of the hits on
lines that the same warp touched last, *intra*; another warp, *inter*; else
*mixed*; sections list each kernel's loads, by parameter. *Reference* are
measurements of the published program, compiled by nvcc, in the same model;
where ours are more than 20 % (and 3 points) apart, the section says why.
`--model` changes what the description of those measurements leaves open
(`index` of the sets: polynomial, folded, modulo, random; `flush` at launches)
and the residency (`sms`, `ctas`, `threads`). Counts of instructions depend on
the compiler and are not compared.

With `--replacement` the hit ratios are those of these policies in caches of the
same sizes, beside LRU and MIN, the best that any policy can reach
([locality](components/locality.md)).
]]

local function cell(s) return (tostring(s):gsub("|", "\\|")) end

local function table_lines(out, rows)
  out[#out + 1] = "| " .. table.concat(rows[1], " | ") .. " |"
  out[#out + 1] = "|" .. ("---|"):rep(#rows[1])
  for i = 2, #rows do
    local cells = {}
    for k, c in ipairs(rows[i]) do cells[k] = cell(c) end
    out[#out + 1] = "| " .. table.concat(cells, " | ") .. " |"
  end
end

local function by_paper(out, list)
  local rows = { { "paper", "class", "benchmarks" } }
  for _, paper in ipairs(suite.papers) do
    for _, class in ipairs(paper.classes) do
      local names = {}
      for _, one in ipairs(list) do
        if one.classes and one.classes[paper.name] == class then
          names[#names + 1] = ("[%s](#%s)"):format(one.name, one.name)
        end
      end
      rows[#rows + 1] = { ("%s (`%s`)"):format(paper.title, paper.name), class,
                          table.concat(names, " ") }
    end
  end
  table_lines(out, rows)
end

local function percents(list)
  local out = {}
  for i, p in ipairs(list) do out[i] = ("%.0f"):format(p) end
  return table.concat(out, ", ")
end

local function wrap(out, s)
  for _, line in ipairs(text.wrap(s, 104)) do out[#out + 1] = line end
end

local function sorted(t)
  local keys = {}
  for key in next, t do keys[#keys + 1] = key end
  table.sort(keys)
  return keys
end

-- "A, B: intra divergent; x: inter coherent"
local function loads_text(loads)
  local by_class, classes = {}, {}
  for _, param in ipairs(sorted(loads)) do
    local class = loads[param]
    if not by_class[class] then
      by_class[class] = {}
      classes[#classes + 1] = class
    end
    table.insert(by_class[class], param)
  end
  for i, class in ipairs(classes) do
    classes[i] = ("%s: %s"):format(table.concat(by_class[class], ", "), class)
  end
  return table.concat(classes, "; ")
end

-- What each benchmark is given at each size.
local function sizes(out, list)
  local rows = { { "benchmark", "parameters", "tiny", "small", "paper",
                   "reference" } }
  for _, one in ipairs(list) do
    local names = {}
    local row = { ("[%s](#%s)"):format(one.name, one.name), "", "", "", "", "" }
    for _, size in ipairs(suite.size_names(one)) do
      for k = 3, #rows[1] do
        if rows[1][k] == size then
          row[k] = command.sizes_text(one, size, names)
          row[2] = table.concat(names, ", ")
        end
      end
    end
    rows[#rows + 1] = row
  end
  table_lines(out, rows)
end

-- What the published programs were measured with.
local function references(out, list)
  local rows = { { "benchmark", "million thread instructions",
                   "lines per load", "% L1 hits" } }
  for _, one in ipairs(list) do
    local r = one.reference
    if r then
      rows[#rows + 1] = { ("[%s](#%s)"):format(one.name, one.name),
                          r.minst or "", r.lines or "unknown",
                          r.hits and percents(r.hits) or "not measured" }
    end
  end
  table_lines(out, rows)
end

local function section(out, one)
  out[#out + 1] = ""
  out[#out + 1] = "## " .. one.name
  out[#out + 1] = ""
  local source = one.doc:find(one.source, 1, true) and "" or
                 (" Algorithm: %s."):format(one.source)
  local why = one.reference and one.reference.why
  local paper = one.sizes.paper and not one.paper:find "^the default of" and
                (" *Paper*: %s."):format(one.paper) or ""
  wrap(out, ("%s.%s%s%s%s"):format(one.doc, source,
    one.notes and " " .. one.notes or "", paper,
    why and " *Reference*: ours differ: " .. why .. "." or ""))
  out[#out + 1] = ""
  for _, kernel in ipairs(sorted(one.loads)) do
    out[#out + 1] = ("* `%s` %s"):format(kernel,
                                               loads_text(one.loads[kernel]))
  end
end

function M.lines(list)
  local out, mistakes = {}, {}
  for line in head:gmatch "([^\n]*)\n" do out[#out + 1] = line end
  out[#out + 1] = ""
  out[#out + 1] = "## By paper"
  out[#out + 1] = ""
  by_paper(out, list)
  local named = {}
  for _, one in ipairs(list) do
    if one.classes then named[#named + 1] = one end
  end
  for _, part in ipairs { { "Sizes", sizes }, { "References", references } } do
    out[#out + 1] = ""
    out[#out + 1] = "## " .. part[1]
    out[#out + 1] = ""
    part[2](out, named)
  end
  for _, one in ipairs(list) do
    table.move(suite.mistakes(one), 1, 1000, #mistakes + 1, mistakes)
    if one.classes then section(out, one) end
  end
  if #mistakes > 0 then error(table.concat(mistakes, "\n"), 0) end
  return out
end

return M
