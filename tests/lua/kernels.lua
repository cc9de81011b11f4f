-- warploom kernels: what it lists is what the file holds, and what it cannot
-- know is missing, with a reason.  Arguments: the program, and this folder.

local H = require "harness"
local core = H.import "core"
local results = H.import "look/results"
local test, equal, has = H.test, H.equal, H.has

local program, here = arg[1], arg[2]
local folder = os.tmpname()
os.remove(folder)
assert(core.mkdir(folder))

local call = H.caller(program, folder)

-- A script that makes a results file.
local function make(name, text)
  local file = assert(io.open(folder .. "/script.lua", "wb"))
  file:write(text)
  file:close()
  local status, out, errors = call("-q script.lua -o " .. name)
  if status ~= 0 then error(out .. errors, 2) end
end

-- The rows of the CSV, as tables by the names of its columns.
local function csv(name, more)
  local status, out, errors = call(("kernels %s --csv %s"):format(name,
                                                                  more or ""))
  if status ~= 0 then error(errors, 2) end
  local names, rows = nil, {}
  for line in out:gmatch("[^\n]+") do
    local cells, row = {}, {}
    line = line:gsub('"([^"]*)"', function(s) return (s:gsub(",", ";")) end)
    for cell in (line .. ","):gmatch("([^,]*),") do
      cells[#cells + 1] = cell
    end
    if names then
      for i, column in ipairs(names) do
        row[column] = tonumber(cells[i]) or cells[i]
      end
      rows[#rows + 1] = row
    else
      names = cells
    end
  end
  return rows, out
end

local measured = { "occupancy", "ipc", "l1_hit_ratio", "l2_hit_ratio",
                   "dram_bytes_per_second", "dram_busy", "bound_by",
                   "bound_share" }

local function near(got, want, what)
  if type(got) ~= "number" or math.abs(got - want) > 1e-9 * math.abs(want) then
    error(("%s is %s, expected %s"):format(what, got, want), 2)
  end
end

assert(call(("-q '%s/looking_runs.lua' -o one.h5"):format(here)) == 0)
local one = assert(results.open(folder .. "/one.h5"))

-- A counter of a launch, of what the file has at the snapshots around it.
local function change(name, launch)
  local item, sum = one.by_path["/stats/gpu/" .. name], 0
  local values, per = one:values(item.path), 1
  for i = 2, #item.dims do per = per * item.dims[i] end
  for i = 1, per do
    sum = sum + values[launch * per + i] -
          (launch > 0 and values[(launch - 1) * per + i] or 0)
  end
  return sum
end

test("numbers of launches are those of the file", function()
  local rows = csv("one.h5", "--by launch")
  equal(#rows, 2)
  local time = 0
  for _, row in ipairs(rows) do time = time + row.seconds end
  for i, row in ipairs(rows) do
    equal(row.launch, i - 1)
    equal(row.missing, "")
    equal(row.kernel, i == 1 and "atax_rows" or "atax_columns")
    equal(row.registers, one:values("/kernel/registers")[i])
    equal(row.registers_from, "PTX")
    equal(row.block_x, one:values("/kernel/block_x")[i])
    near(row.share, row.seconds / time, "share")
    near(row.ipc, change("sm/warp_insts", i - 1) /
                  change("active_cycles", i - 1), "IPC")
    near(row.l1_hit_ratio, change("sm/l1d/hits", i - 1) /
                           change("sm/l1d/lookups", i - 1), "L1")
    near(row.l2_hit_ratio, change("l2/hits", i - 1) /
                           change("l2/lookups", i - 1), "L2")
    near(row.dram_bytes_per_second, change("dram/bytes", i - 1) / row.seconds,
         "DRAM")
    -- tiny's SMs have 48 slots.
    near(row.occupancy, change("sm/resident_warp_cycles", i - 1) / 48 /
                        change("sm/active_cycles", i - 1), "occupancy")
    local clock = change("dram/cycles", i - 1) / (one:samples()[i].time -
                  (i > 1 and one:samples()[i - 1].time or 0))
    near(row.dram_busy, change("dram/busy_cycles", i - 1) /
                        (clock * row.seconds), "busy")
  end
end)

test("the longest launch is first, unless they are asked for in order",
     function()
  local rows = csv "one.h5"
  assert(rows[1].seconds >= rows[2].seconds)
  local status, out = call "kernels one.h5"
  equal(status, 0)
  has(out, "one.h5: complete, 2 launches, ")
  local first = rows[1].launch
  assert(out:match("\n +(%d) ") == tostring(first), out)
  local lines = 0
  for _ in out:gmatch("\n") do lines = lines + 1 end
  equal(lines, 5) -- of the file, about registers, heads, two launches
  has(out, "  registers are counted in PTX\n")
  local _, _, errors = call "kernels one.h5 --by name"
  has(errors, "--by is 'name', expected time or launch")
end)

test("what most of the schedulers' cycles were is the bound", function()
  local slots = one:find "gpu.sm.issue_slots"
  local labels = one:labels(one:axes(slots.item)[3])
  for i, row in ipairs(csv("one.h5", "--by launch")) do
    assert(row.dram_busy < 0.6)
    local groups = { ["memory latency"] = 0, ["too few warps"] = 0, issue = 0 }
    local entries, all = one:entries(slots, i, i - 1), 0
    for k, label in ipairs(labels) do
      local group = (label == "memory" or label == "membar" or
                     label == "atomic") and "memory latency" or
                    (label == "no_warp" or label == "drain") and
                    "too few warps" or label == "issued" and "issue" or label
      groups[group] = (groups[group] or 0) + entries[k]
      all = all + entries[k]
    end
    local window = one:samples()[i].time - (i > 1 and
                   one:samples()[i - 1].time or 0)
    local ran = all * math.min(row.seconds / window, 1)
    groups["too few warps"] = groups["too few warps"] - (all - ran)
    near(row.bound_share, groups[row.bound_by] / ran, row.bound_by)
    for _, count in next, groups do
      assert(count <= groups[row.bound_by] + 1e-6)
    end
  end
end)

test("a kernel that streams is bound by DRAM", function()
  make("stream.h5", [[
    local loom = require "warploom"
    loom.run { machine = loom.preset.gtx480 { channel_count = 1 },
               workload = loom.suite.vectoradd {},
               stats = { file = "x.h5" } }]])
  local row = csv("stream.h5")[1]
  equal(row.bound_by, "DRAM bandwidth")
  equal(row.bound_share, row.dram_busy)
  assert(row.dram_busy >= 0.6 and row.dram_busy <= 1.01, row.dram_busy)
end)

test("without snapshots of their own launches have no numbers", function()
  for snapshot, reason in pairs {
    ['{ "end" }'] = "no snapshot was taken before and after them alone",
    ["{ every = 2 }"] = "other launches ran between the snapshots" } do
    make("few.h5", ([[
      local loom = require "warploom"
      loom.run { machine = loom.preset.tiny {},
                 workload = loom.suite.atax { rows = 128, columns = 32 },
                 stats = { file = "x.h5", snapshot = %s } }]])
      :format(snapshot))
    local rows = csv "few.h5"
    equal(#rows, 2)
    for _, row in ipairs(rows) do
      assert(row.seconds > 0 and row.share > 0 and row.registers > 0)
      for _, name in ipairs(measured) do equal(row[name], "", name) end
      assert(row.missing ~= "")
    end
    local _, out = call "kernels few.h5"
    has(out, reason)
    has(out, "  -  ")
  end
end)

test("launches after the last snapshot have none after them", function()
  make("bfs.h5", [[
    local loom = require "warploom"
    loom.run { machine = loom.preset.tiny {},
               workload = loom.suite.bfs { size = "tiny" },
               stats = { file = "x.h5", snapshot = { every = 4 } } }]])
  local rows, seen = csv("bfs.h5", "--by launch"), {}
  assert(#rows > 5)
  for _, row in ipairs(rows) do
    equal(row.ipc, "")
    seen[row.missing:match "^%a+"] = true
  end
  assert(seen.no and seen.other)
end)

test("launches beside each other have no numbers, others have", function()
  make("beside.h5", [[
    local loom = require "warploom"
    local gpu = loom.preset.tiny {}
    gpu.concurrent_kernels = 4
    gpu.host = loom.host { concurrent_kernels = 4 }
    loom.link(gpu.host, gpu)
    loom.run { machine = gpu, stats = { file = "x.h5" },
      workload = function(dev)
        dev:module [=[
.version 7.0
.target sm_50
.address_size 64
.entry work(.param .u64 to)
{
  .reg .pred %p1;
  .reg .b32 %r<3>;
  mov.u32 %r1, 2000;
again:
  sub.u32 %r1, %r1, 1;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra again;
  ret;
}
]=]
        local data = dev:alloc(1024)
        local function go(stream)
          dev:launch("work", { grid = 1, block = 32, stream = stream,
                               args = { data } })
        end
        go(dev:stream())
        go(dev:stream())
        dev:sync()
        go()
      end }]])
  local rows = csv("beside.h5", "--by launch")
  equal(#rows, 3)
  for i, row in ipairs(rows) do
    equal(row.missing, i < 3 and "other launches ran between the snapshots " ..
          "around them" or "")
    equal(row.ipc == "", i < 3)
  end
  assert(math.abs(rows[3].ipc * rows[3].seconds * 1e9 / 6002 - 1) < 1e-3)
  local _, out = call "kernels beside.h5"
  has(out, "-: of 2 launches that are listed: other launches ran")
end)

test("a machine without time says so", function()
  make("timeless.h5", [[
    local loom = require "warploom"
    loom.run { machine = loom.locality { sms = 3, l1d = loom.cache {} },
               workload = loom.suite.atax { rows = 128, columns = 32 },
               stats = { file = "x.h5" } }]])
  for _, row in ipairs(csv "timeless.h5") do
    equal(row.missing, "nothing was timed")
    equal(row.seconds, "")
    assert(row.registers > 0)
  end
end)

test("estimates and choices are said", function()
  make("chosen.h5", [[
    local loom = require "warploom"
    loom.run { machine = loom.preset.tiny {},
               workload = loom.suite.atax { rows = 128, columns = 32 },
               timed = { last = 0 }, sample = true,
               stats = { file = "x.h5" } }]])
  local _, out = call "kernels chosen.h5"
  has(out, "a sampled run: numbers are estimates")
  has(out, "of some launches only: --last=0")
  equal(#csv "chosen.h5", 1)
end)

test("names of C++ lose their types, in the table only", function()
  local names = { ["_Z4scalPfi"] = "scal", ["_ZN2ab3runEv"] = "ab::run",
                  ["_Z4foldIfEvPT_i"] = "fold<>", ["_Z"] = "_Z",
                  ["_Z99999999999999999999x"] = "x",
                  ["_ZL3one"] = "_ZL3one", ["plain"] = "plain" }
  local text, list = {}, {}
  for name in pairs(names) do list[#list + 1] = name end
  table.sort(list)
  for _, name in ipairs(list) do
    text[#text + 1] = (".visible .entry %s() { ret; }"):format(name)
  end
  make("names.h5", ([[
    local loom = require "warploom"
    loom.run { machine = loom.preset.tiny {}, stats = { file = "x.h5" },
      workload = function(dev)
        dev:module ".version 7.0\n.target sm_50\n.address_size 64\n%s"
        for name in ("%s"):gmatch "%%S+" do
          dev:launch(name, { grid = 1, block = 32, args = {}, registers = 24 })
        end
      end }]]):format(table.concat(text, "\\n"), table.concat(list, " ")))
  local _, out = call "kernels names.h5 --by launch"
  local i = 0
  for number, name in out:gmatch("\n +(%d+)  (%S+) ") do
    i = i + 1
    equal(name, names[list[i]], number)
  end
  equal(i, #list)
  for k, row in ipairs(csv("names.h5", "--by launch")) do
    equal(row.kernel, list[k])
    equal(row.registers, 24)
    equal(row.registers_from, "launch")
    equal(row.l1_hit_ratio, "", "a ratio of nothing")
    assert(row.ipc > 0)
  end
  has(out, "-: L1 hits: nothing looked at a cache called l1d or l1")
end)

test("what is no file of a run is refused", function()
  local status, _, errors = call "kernels none.h5"
  equal(status, 1)
  has(errors, "cannot open 'none.h5'")
  status, _, errors = call "kernels"
  equal(status, 2)
  has(errors, "kernels needs a results file")
  call "merge -q one.h5 stream.h5 -o both.h5"
  status, _, errors = call "kernels both.h5"
  equal(status, 1)
  has(errors, "warploom kernels takes a file of one run")
end)

os.execute("rm -rf '" .. folder .. "'")
H.finish()
