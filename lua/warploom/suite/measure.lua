-- `warploom suite measure`: lines per load and hit ratios of the suite's
-- kernels in the functional L1 model of workloads/locality/locality.h, beside
-- what was measured with the published programs in the same model.

local import = ...
local core = import "core"
local suite = import "suite/suite"
local interrupt = import "script/interrupt"
local suggest = import "base/suggest"
local records = import "base/records"
local text = import "base/text"

local M = {}

-- The model of the reference measurements; caches are the columns.  Ways are
-- 4, as the small L1 of the first machines has, and 6 where 4 make no power
-- of two.
local model = { sms = 15, ctas = 8, threads = 1536,
                caches = { { sets = 32, ways = 4 }, { sets = 64, ways = 4 },
                           { sets = 64, ways = 6 },
                           { sets = 256, ways = 4 } } }
local last = #model.caches
M.model = model

local function kilobytes(i)
  return model.caches[i].sets * model.caches[i].ways * 128 // 1024
end

-- What `--model` may change of it: the measurements' description says nothing
-- of `index` and `flush`.
local choices = { index = { "polynomial", "folded", "modulo", "random" },
                  flush = { "true", "false" }, sms = "whole", ctas = "whole",
                  threads = "whole" }
local names = { "ctas", "flush", "index", "sms", "threads" }

local function one_of(list, value)
  for _, one in ipairs(list) do
    if one == value then return true end
  end
  return false
end

-- "index=modulo,flush=true" -> the model with these; nil and a text if wrong.
local function model_of(words)
  local made = {}
  for key, value in next, model do made[key] = value end
  for word in (words or ""):gmatch "[^,]+" do
    local key, value = word:match "^(%l+)=(%w+)$"
    local choice = choices[key]
    if not choice then
      return nil, ("--model: there is no '%s'%s; expected NAME=VALUE,.. of %s")
        :format(key or word, suggest.hint(key or word, names),
                table.concat(names, ", "))
    elseif choice == "whole" then
      made[key] = math.tointeger(tonumber(value))
      if not made[key] or made[key] < 1 or made[key] > 65536 then
        return nil, ("--model: %s is '%s', expected 1..65536"):format(key,
                                                                   value)
      end
    elseif not one_of(choice, value) then
      return nil, ("--model: %s is '%s', expected one of %s"):format(key,
        value, table.concat(choice, ", "))
    else
      made[key] = value
    end
  end
  made.flush = made.flush == "true"
  return made
end

-- More than this share, and more than this many points of a hit ratio, apart
-- is told.
local tolerance, points = 0.2, 3

local function sum_into(to, row)
  to.loads = (to.loads or 0) + row.loads
  to.lines = (to.lines or 0) + row.lines
  to.same_warp = (to.same_warp or 0) + row.same_warp
  to.other_warp = (to.other_warp or 0) + row.other_warp
  to.hits = to.hits or {}
  for i = 1, last do to.hits[i] = (to.hits[i] or 0) + row.hits[i] end
end

-- Collects what launches say: totals, and sums by kernel and parameter.
local function collector(spec)
  local all = { insts = 0, thread_insts = 0, kernels = {} }
  local l1s = assert(core.locality(spec))
  return all, function(launch)
    local insts, threads, rows = l1s:measure(launch.kernel)
    if not insts then return nil, threads end
    all.insts, all.thread_insts = all.insts + insts, all.thread_insts + threads
    local kernel = all.kernels[launch.name]
    if not kernel then
      kernel = { name = launch.name, loads = {}, names = {},
                 thread_insts = 0 }
      all.kernels[launch.name] = kernel
      all.kernels[#all.kernels + 1] = kernel
    end
    kernel.thread_insts = kernel.thread_insts + threads
    for _, row in ipairs(rows) do
      sum_into(all, row)
      local name = row.is_local and "(local)" or
                   launch.buffers[row.param + 1] or "(loaded)"
      if not kernel.loads[name] then
        kernel.loads[name] = {}
        kernel.names[#kernel.names + 1] = name
      end
      sum_into(kernel.loads[name], row)
    end
    return insts
  end
end

local function lines_per_load(of)
  return (of.loads or 0) > 0 and of.lines / of.loads or 0
end

local function hit_percents(of)
  local out = {}
  for i = 1, last do
    out[i] = (of.lines or 0) > 0 and 100 * of.hits[i] / of.lines or 0
  end
  return out
end

-- What a load turned out to be, in the words of the declarations: where hits
-- of the largest cache come from, and how many lines it touches.
local function class_of(load)
  local hits = load.same_warp + load.other_warp
  local same = load.same_warp / math.max(hits, 1)
  local locality = hits < 0.25 * load.lines and "streaming" or
                   same > 0.75 and "intra" or same < 0.25 and "inter" or
                   "mixed"
  return ("%s %s"):format(locality,
                          lines_per_load(load) > 2.05 and "divergent" or
                          "coherent")
end

local function joined(percents)
  local out = {}
  for i, p in ipairs(percents) do out[i] = ("%.0f"):format(p) end
  return table.concat(out, "/")
end

local function is_far(got, want, least)
  local d = math.abs(got - want)
  return d > tolerance * want and d > least
end

-- "far" names what differs: lines, 16, 32 ..
local function compare(got, reference)
  local far = {}
  if reference.lines and
     is_far(lines_per_load(got), reference.lines, 0.05) then
    far[1] = "lines"
  end
  local percents = hit_percents(got)
  for i, want in ipairs(reference.hits or {}) do
    if is_far(percents[i], want, points) then
      far[#far + 1] = ("%d KB"):format(kilobytes(i))
    end
  end
  return far
end

local function row_of(workload, got, reference)
  local far = reference and compare(got, reference) or {}
  return { workload.name, ("%.1f"):format(got.thread_insts / 1e6),
    reference and reference.minst and ("%.1f"):format(reference.minst) or "-",
    ("%.1f"):format(lines_per_load(got)),
    reference and reference.lines and ("%.1f"):format(reference.lines) or "-",
    joined(hit_percents(got)),
    reference and reference.hits and joined(reference.hits) or "-",
    #far > 0 and "off: " .. table.concat(far, ", ") or
    reference and reference.hits and "within 20 %" or "" }, #far > 0
end

local function print_loads(workload, got)
  local rows = { { "  kernel", "load from", "declared", "measured", "loads",
                   "lines/load", "L1 hits %" } }
  for _, kernel in ipairs(got.kernels) do
    for _, name in ipairs(kernel.names) do
      local load = kernel.loads[name]
      local declared = workload.loads and workload.loads[kernel.name] and
                       workload.loads[kernel.name][name] or "-"
      rows[#rows + 1] = { "  " .. kernel.name, name, declared,
        class_of(load), text.thousands(load.loads),
        ("%.1f"):format(lines_per_load(load)), joined(hit_percents(load)) }
    end
  end
  for _, line in ipairs(text.columns(rows, { false, false, false, false, true,
                                             true })) do
    print(line)
  end
end

-- Loads that are not what was declared, as a list of texts.
local function misdeclared(workload, got)
  local out = {}
  for _, kernel in ipairs(got.kernels) do
    for _, name in ipairs(kernel.names) do
      local declared = workload.loads and workload.loads[kernel.name] and
                       workload.loads[kernel.name][name]
      local found = class_of(kernel.loads[name])
      if workload.loads and declared ~= found then
        out[#out + 1] = ("%s: %s.%s is %s, declared %s"):format(
          workload.name, kernel.name, name, found, declared or "nothing")
      end
    end
  end
  return out
end

local head = { "name", "Minst", "(ref)", "lines/load", "(ref)",
               "L1 hits % 16/32/48/128 KB", "(ref)", "" }
local right = { false, true, true, true, true, true, true }

-- For programs: a row per kernel and load, and one of all loads with what the
-- reference has.
local csv_head = { "name", "size", "kernel", "load", "declared", "measured",
                   "loads", "lines_per_load", "hits_16kb", "hits_32kb",
                   "hits_48kb", "hits_128kb", "thread_insts",
                   "reference_lines_per_load", "reference_hits_16kb",
                   "reference_hits_32kb", "reference_hits_48kb",
                   "reference_hits_128kb", "off" }

-- A number with so many digits behind the point.
local function rounded(digits, x)
  return tonumber((("%%.%df"):format(digits):format(x)))
end

local function add_rows(add, workload, size, got, reference)
  local function line(kernel, name, load, declared, rest)
    local cells = { workload.name, size, kernel, name, declared or "",
                    class_of(load), load.loads,
                    rounded(4, lines_per_load(load)) }
    for _, p in ipairs(hit_percents(load)) do
      cells[#cells + 1] = rounded(3, p)
    end
    for i = 13, #csv_head do cells[i] = rest and rest[i - 12] or "" end
    add(table.unpack(cells))
  end
  for _, kernel in ipairs(got.kernels) do
    for _, name in ipairs(kernel.names) do
      line(kernel.name, name, kernel.loads[name], workload.loads and
           workload.loads[kernel.name] and workload.loads[kernel.name][name])
    end
  end
  local r = reference or {}
  local rest = { got.thread_insts, r.lines or "" }
  for i = 1, last do rest[2 + i] = r.hits and r.hits[i] or "" end
  rest[3 + last] = reference and table.concat(compare(got, r), " ") or ""
  if got.loads then line("", "", got, nil, rest) end
end

-- The loads of some kernels only, if a reference has only those.
local function part_of(got, kernels)
  if not kernels then return got end
  local part = { thread_insts = 0, kernels = {} }
  for _, name in ipairs(kernels) do
    local kernel = got.kernels[name]
    part.thread_insts = part.thread_insts + kernel.thread_insts
    for _, load in ipairs(kernel.names) do
      sum_into(part, kernel.loads[load])
    end
  end
  return part
end

-- What is wrong is told below the table.
local function print_table(rows, off, wrong)
  for _, line in ipairs(text.columns(rows, right)) do print(line) end
  for _, workload in ipairs(off) do
    for k, line in ipairs(text.wrap(workload.reference.why or
                                    "not explained", 72)) do
      print(k == 1 and ("%s: %s"):format(workload.name, line) or
            "  " .. line)
    end
  end
  for _, line in ipairs(wrong) do print("load " .. line) end
  print(("%d measured, %d more than 20 %% from the reference, %d loads not " ..
         "as declared"):format(#rows - 1, #off, #wrong))
end

-- Where one has been measured elsewhere at a size, it is measured at that
-- size; otherwise at `small`.
function M.run(options, chosen, run_one, bar)
  local spec, why = model_of(options.model)
  if not spec then return nil, why end
  local rows, off, failed, wrong = { head }, {}, 0, {}
  local add, finish
  if options.csv or options.json then
    add, finish = records.writer(csv_head, options.json, function(line)
      io.stdout:write(line)
    end)
  end
  for i, workload in ipairs(chosen) do
    local size = options.size or workload.reference and
                 workload.reference.at and "reference" or "small"
    if workload.classes and suite.size(workload, size) then
      bar:show(i - 1, workload.name)
      local got, tell = collector(spec)
      local status = run_one(workload.name, size, options,
        { functional = true, verify = false, locality = tell,
          tick = function(launches) bar:tick(launches) end })
      if interrupt.stopped(status) then break end
      local reference = size == "reference" and workload.reference or nil
      local part = status == 0 and
                   part_of(got, reference and reference.kernels) or got
      local row, far = row_of(workload, part, reference)
      if status ~= 0 then failed = failed + 1 end
      if far then off[#off + 1] = workload end
      rows[#rows + 1] = row
      if not options.size or options.size == "small" then
        table.move(misdeclared(workload, got), 1, 1000, #wrong + 1, wrong)
      end
      bar:clear()
      if add then
        add_rows(add, workload, size, got, reference)
      elseif options.loads then
        print(workload.name)
        print_loads(workload, got)
      end
      collectgarbage()
    end
  end
  bar:clear()
  if add then finish() else print_table(rows, off, wrong) end
  return interrupt.status() or failed == 0 and 0 or 3
end

return M
