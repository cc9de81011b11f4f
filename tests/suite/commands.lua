-- loom.suite and `warploom suite`: sizes, filters, what is printed, mistakes.
-- Argument: the program.

local loom = require "warploom"
local import = require "warploom.import"
local suite = import "suite/suite"

local program = assert(arg[1], "usage: commands.lua PROGRAM")
local failed, count = 0, 0

local function test(name, body)
  count = count + 1
  local ok, why = pcall(body)
  if not ok then
    failed = failed + 1
    print(("FAIL %s\n  %s"):format(name, tostring(why)))
  end
end

local function call(words)
  local pipe = assert(io.popen(("'%s' %s 2>&1"):format(program, words)))
  local out = pipe:read "a"
  local _, _, status = pipe:close()
  return status, out
end

local function has(out, what)
  if not out:find(what, 1, true) then
    error(("%q is not in:\n%s"):format(what, out), 2)
  end
end

local function expect(status, words, ...)
  local got, out = call(words)
  for _, what in ipairs { ... } do has(out, what) end
  if got ~= status then
    error(("status %s, expected %d:\n%s"):format(got, status, out), 2)
  end
end

test("sizes and parameters", function()
  local small, tiny = loom.suite.atax {}, loom.suite.atax { size = "tiny" }
  assert(small.values.rows == 4096 and tiny.values.rows == 128)
  local own = loom.suite.atax { size = "tiny", columns = 7, seed = 5 }
  assert(own.values.rows == 128 and own.values.columns == 7)
  assert(own.values.seed == 5 and own.values.verify == true)
  assert(loom.suite.mvt { seed = 9 }.values.seed == 9)
end)

test("lists by paper and class", function()
  local all, some = loom.suite.list(), loom.suite.list { paper = "dacache",
                                                         class = "divergent" }
  local seen = {}
  for _, name in ipairs(some) do seen[name] = true end
  assert(seen.atax and seen.syrk and not seen.conv2d and #all > #some)
  assert(#loom.suite.list {} < #all, "micro-kernels are no benchmarks")
end)

test("every declaration is complete", function()
  for _, name in ipairs(loom.suite.list()) do
    local mistakes = suite.mistakes(
      import "machine/preset".load_file("suite", name))
    if #mistakes > 0 then error(table.concat(mistakes, "\n")) end
  end
end)

test("list", function()
  expect(0, "suite list atax", "atax", "tiny small paper reference",
         "DaCache: divergent")
  expect(0, "suite list --paper twolevel --class bypass", "adi", "jacobi1d")
end)

test("verify", function()
  expect(0, "suite verify atax --quiet", "ok", "bit for bit",
         "1 workloads, 0 failed")
  expect(0, "suite verify atax --timed --quiet", "ok", "0 failed")
  expect(0, "suite verify vectoradd nn --size paper --quiet",
         "NOT RUN, has no size paper: 1 (vectoradd)", "1 workloads, 0 failed")
end)

test("measure compares replacement policies", function()
  -- LRU is what the model without policies has; nothing beats min.
  local _, model = call "suite measure --quiet --size tiny bfs"
  local status, out = call("suite measure --quiet --size tiny bfs mvt " ..
                           "--replacement dip,drrip")
  assert(status == 0, out)
  has(model, out:match("bfs +lru +(%d+)") .. "/")
  local lru, dip, drrip, min = out:match("mvt +lru +([%d.]+).-dip +([%d.]+)" ..
    ".-drrip +([%d.]+).-min +([%d.]+)")
  for _, hits in ipairs { lru, dip, drrip } do
    assert(tonumber(min) >= tonumber(hits), out)
  end
  has(out, "2 measured at tiny")
  has(out, "mean")
  expect(2, "suite measure bfs --replacement dipp",
         "there is no replacement policy 'dipp'; did you mean 'dip'?")
end)

test("measure compares and tells what is declared", function()
  expect(0, "suite measure atax --loads --quiet", "(ref)", "within 20 %",
         "intra divergent", "1 measured, 0 more than 20 %",
         "0 loads not as declared")
end)

test("a program that fails does not stop the others", function()
  expect(3, "suite verify gramschmidt conv2d --set columns=30 --quiet",
         "needs at least as many rows as columns", "all elements, to 1e-6",
         "FAILED: 1 (gramschmidt)", "2 workloads, 1 failed")
end)

test("parameters, models and CSV", function()
  expect(0, "suite verify atax --set rows=64 --quiet", "bit for bit")
  expect(0, "suite measure conv2d --size tiny --csv --quiet",
         "name,size,kernel,load,declared", "conv2d,tiny,conv2d,A,",
         "conv2d,tiny,,,,")
  local _, kept = call "suite measure stencil3d --quiet"
  local _, flushed = call "suite measure stencil3d --model flush=true --quiet"
  has(kept, "0/0/0/18")
  has(flushed, "within 20 %")
  expect(2, "suite measure atax --model indx=modulo",
         "there is no 'indx'; did you mean 'index'?")
  expect(2, "suite measure atax --model index=modulus",
         "expected one of polynomial, folded, modulo, random")
  expect(2, "suite measure atax --model ctas=0", "expected 1..65536")
end)

test("mistakes name what is near", function()
  expect(2, "suite", "suite needs list, verify or measure")
  expect(2, "suite verfy", "there is no 'verfy'; did you mean 'verify'?")
  expect(2, "suite verify attax", "there is no workload 'attax'; did you " ..
         "mean 'atax'?")
  expect(2, "suite verify --size huge", "--size is 'huge', expected one of " ..
         "tiny, small, paper, reference")
  expect(2, "suite list --paper dacash", "did you mean 'dacache'?")
  expect(2, "suite list --paper apcm --class divergent",
         "there is no class 'divergent'")
end)

print(("%d tests, %d failed"):format(count, failed))
if failed > 0 then error("failed", 0) end
