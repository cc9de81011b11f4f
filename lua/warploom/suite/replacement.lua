-- `warploom suite measure --replacement NAME,..`: hit ratios of the suite's
-- programs in caches without time, by replacement policy, beside LRU and MIN.
-- The SMs and the caches are those of `suite measure`.

local import = ...
local suite = import "suite/suite"
local interrupt = import "script/interrupt"
local suggest = import "base/suggest"
local text = import "base/text"
local types = import "machine/types"
local measure = import "suite/measure"

local M = {}

local function kilobytes(cache) return cache.sets * cache.ways * 128 // 1024 end

-- lru, the policies of "a,b", min; nil and what is wrong.
local function policies_of(list)
  local known, names, seen = types.answering("replacement"), {}, {}
  for name in ("lru," .. list .. ",min"):gmatch "[^,]+" do
    local found = false
    for _, one in ipairs(known) do found = found or one == name end
    if not found then
      return nil, ("there is no replacement policy '%s'%s"):format(name,
                                                suggest.hint(name, known))
    end
    local also = types.policies[name].facets
    if #also > 1 then
      return nil, ("'%s' answers other questions than 'replacement', too, " ..
                   "which need a machine with time"):format(name)
    end
    if not seen[name] then names[#names + 1] = name end
    seen[name] = true
  end
  for i, name in ipairs(names) do -- the bound comes last
    if name == "min" then
      table.remove(names, i)
      break
    end
  end
  names[#names + 1] = "min"
  return names
end

-- The machine as text: for each policy a cache of each size.
local function machine_of(names)
  local model, out = measure.model, {}
  for _, name in ipairs(names) do
    for _, cache in ipairs(model.caches) do
      out[#out + 1] = ("%s_%dk = loom.cache { size_bytes = %d, ways = %d, " ..
        "set_index = loom.ipoly_index {}, replacement = loom.%s {} }"):format(
        name, kilobytes(cache), cache.sets * cache.ways * 128, cache.ways, name)
    end
  end
  return ("loom.locality { sms = %d, ctas = %d, threads = %d, %s }"):format(
    model.sms, model.ctas, model.threads, table.concat(out, ", "))
end

local function row_of(first, name, percents)
  local row = { first, name }
  for _, p in ipairs(percents) do row[#row + 1] = ("%.1f"):format(p) end
  return row
end

local function head()
  local row = { "name", "replacement" }
  for _, cache in ipairs(measure.model.caches) do
    row[#row + 1] = ("%d KB"):format(kilobytes(cache))
  end
  return row
end

-- Adds the rows of a program, and its ratios to the sums of all.
local function add_rows(rows, sums, workload, names, caches)
  for k, name in ipairs(names) do
    local percents = {}
    sums[name] = sums[name] or {}
    for i, cache in ipairs(measure.model.caches) do
      local c = caches[("%s_%dk"):format(name, kilobytes(cache))]
      percents[i] = 100 * c.hits / math.max(c.accesses, 1)
      sums[name][i] = (sums[name][i] or 0) + percents[i]
    end
    rows[#rows + 1] = row_of(k == 1 and workload.name or "", name, percents)
  end
end

function M.run(options, chosen, run_one, bar)
  local names, why = policies_of(options.replacement)
  if not names then return nil, why end
  local size = options.size or "small"
  local rows, sums, count, failed = { head() }, {}, 0, 0
  for i, workload in ipairs(chosen) do
    if suite.size(workload, size) then
      bar:show(i - 1, workload.name)
      local status, run = run_one(workload.name, size, options,
        { machine = machine_of(names), verify = false })
      if interrupt.stopped(status) then break end
      if status ~= 0 then
        failed = failed + 1
      else
        count = count + 1
        add_rows(rows, sums, workload, names, run.caches)
      end
      collectgarbage()
    end
  end
  bar:clear()
  for k, name in ipairs(count > 1 and names or {}) do
    for i in ipairs(sums[name]) do sums[name][i] = sums[name][i] / count end
    rows[#rows + 1] = row_of(k == 1 and "mean" or "", name, sums[name])
  end
  for _, line in ipairs(text.columns(rows, { false, false, true, true, true,
                                             true })) do
    print(line)
  end
  print(("%d measured at %s: percent of the lines of loads that hit"):format(
    count, size))
  return interrupt.status() or failed == 0 and 0 or 3
end

return M
