-- warploom explain: what bounds a kernel, in plain words, with the numbers that
-- say so.
--
-- A request goes from the load/store unit through L1, network, L2 and DRAM, and
-- its reply back.  A DRAM whose data bus is busy is the bound.  Else, where a
-- stage is full those before it fill up, too: so the last full stage along this
-- way is the one that holds the others up.

local import = ...
local results = import "look/results"
local kernels = import "look/kernels"
local profile = import "look/profile"
local roofline = import "look/roofline"
local text = import "base/text"
local json = import "base/json"
local suggest = import "base/suggest"

local M = {}

-- A stage is full where requests find no room in it for so much of the time.
local FULL = 0.1
local BUSY = 0.6 -- of the cycles of a data bus
local MUCH = 0.5 -- of the issue slots

------------------------------------------------------------------------------
-- Numbers of the launches that are explained, together

local Kernel = {}
Kernel.__index = Kernel

-- The sum of a statistic, of one of its entries if `entry` is given; nil where
-- there is none.
function Kernel:sum(prefixes, name, entry)
  local total
  for _, prefix in ipairs(prefixes) do
    local stat = self.file:find(prefix .. name)
    for _, launch in ipairs(stat and self.launches or {}) do
      if entry then
        local axis = self.file:axes(stat.item)[3]
        local labels = axis and self.file:labels(axis) or {}
        local all = self.file:entries(stat, launch.end_, launch.begin)
        for i, value in ipairs(all) do
          if labels[i] == entry then total = (total or 0) + value end
        end
      else
        total = (total or 0) +
                self.file:total(stat, launch.end_, launch.begin)
      end
    end
  end
  return total
end

function Kernel:ratio(prefixes, a, b)
  local over, under = self:sum(prefixes, a), self:sum(prefixes, b)
  return over and under and under > 0 and over / under or nil
end

-- The mean of a histogram.
function Kernel:mean(prefixes, name)
  return self:ratio(prefixes, name .. "_sum", name .. "_count")
end

-- Entries of a vector, all prefixes together: { label, value }, the largest
-- first, and their sum.
function Kernel:entries(prefixes, name)
  local values, names, all = {}, {}, 0
  for _, prefix in ipairs(prefixes) do
    local stat = self.file:find(prefix .. name)
    local axis = stat and self.file:axes(stat.item)[3]
    local labels = axis and self.file:labels(axis) or {}
    for _, launch in ipairs(stat and self.launches or {}) do
      for i, value in ipairs(self.file:entries(stat, launch.end_,
                                               launch.begin)) do
        local label = labels[i] or name
        if not values[label] then names[#names + 1] = label end
        values[label], all = (values[label] or 0) + value, all + value
      end
    end
  end
  local out = {}
  for i, label in ipairs(names) do out[i] = { label, values[label] } end
  table.sort(out, function(a, b)
    if a[2] ~= b[2] then return a[2] > b[2] end
    return a[1] < b[1]
  end)
  return out, all
end

-- How many instances a statistic has.
function Kernel:instances(prefixes, name)
  local count = 0
  for _, prefix in ipairs(prefixes) do
    local stat = self.file:find(prefix .. name)
    if stat then count = count + #self.file:instances(stat) end
  end
  return count
end

------------------------------------------------------------------------------
-- The stages of a request's way, in its order.  Each: what it is called, how
-- full it is (a part of the time, or nil), what says so, and what to change.

local function percent(x) return ("%.0f %%"):format(100 * x) end

-- Cycles in which something waited, per cycle that the GPU was active and
-- instance.
local function waiting(k, cycles, count)
  local active = k.active
  return cycles and active and active > 0 and count > 0 and
         math.min(cycles / active / count, 1) or nil
end

local stages = {}

local stalls = {
  pending = "since as many instructions as they can hold are under way",
  queue = "since their queue of accesses to the L1 is full",
  l1 = "since the L1 takes no access",
  shared = "by bank conflicts of the shared memory",
  const = "by constants", flush = "by a flush of the L1",
  texture = "since the texture cache takes no access" }

function stages.ldst(k)
  local why, all = k:entries(k.parts.ldst, "stall_cycles")
  local most = why[1]
  local full = waiting(k, all, k:instances(k.parts.ldst, "accesses"))
  local per_load = k:ratio(k.parts.ldst, "load_accesses", "coalesced_loads")
  return { name = "the load/store units", full = full,
    tells = most and full and ("accesses wait in them for " ..
      "%s of the time%s%s"):format(percent(full), most[2] > 0 and
      ", most " .. (stalls[most[1]] or "by " .. most[1]) or "", per_load
      and ("; %.1f accesses a load"):format(per_load) or ""),
    try = "loads whose lanes lie in fewer lines; shared memory without bank " ..
          "conflicts" }
end

local fails = {
  line = "all lines of their sets wait for data", mshr = "no MSHR is free",
  merge = "their MSHR takes no more accesses",
  miss_queue = "the queue of misses is full",
  candidates = "a policy gives no line" }

-- What parameters of the first part that has such a statistic are now.
local function now(k, prefixes, stat, names)
  for _, prefix in ipairs(prefixes) do
    local found = k.file:find(prefix .. stat)
    local path = found and k.file:instances(found)[1]
    local params = path and k.parts.params[path]
    local list = {}
    for _, name in ipairs(params and names or {}) do
      if params[name] and params[name].value ~= "0" then
        list[#list + 1] = ("%s = %s"):format(name, params[name].value)
      end
    end
    if list[1] then
      local all = path:gsub("^(%a+)%[0%]", "%1"):gsub("%[%d+%]", "[*]")
      return ("; %s has %s"):format(all, table.concat(list, ", "))
    end
  end
  return ""
end

local function cache(k, prefixes, name, try)
  local count = k:instances(prefixes, "lookups")
  local why, all = k:entries(prefixes, "reservation_fails")
  local full = waiting(k, all, count)
  try = try .. now(k, prefixes, "lookups", { "mshr_entries", "miss_queue" })
  return { name = name, full = full, try = try,
    tells = full and why[1] and ("accesses wait for %s of the time%s"):format(
      percent(full), why[1][2] > 0 and ", most since " ..
      (fails[why[1][1]] or why[1][1]) or "") }
end

function stages.l1(k)
  return cache(k, k.parts.l1, "the L1", "more MSHRs, ways or a larger miss " ..
    "queue of the L1; a policy that bypasses; fewer warps")
end

local function cycles_of(n)
  local rounded = ("%.0f"):format(n)
  return rounded .. (rounded == "1" and " cycle" or " cycles")
end

local function network(k, way, name)
  local cycles = k:sum(k.parts.noc, way .. "_input_full_cycles")
  local mean = k:mean(k.parts.noc, way .. "_latency")
  local inputs = k:instances(way == "request" and k.parts.sm or k.parts.l2,
                             way == "request" and "active_cycles" or "lookups")
  -- Inputs are those of SMs or of slices: their number is that of the links.
  local full = waiting(k, cycles, inputs)
  return { name = name, full = full,
    tells = full and ("packets find its buffers full for %s of the time, " ..
      "and take %s"):format(percent(full), cycles_of(mean or 0)),
    try = "larger buffers of the network, wider flits, a faster clock of it" ..
          now(k, k.parts.noc, way .. "_input_full_cycles",
              { "input_buffer_flits", "output_buffer_flits", "flit_bytes",
                "request_flit_bytes" }) }
end

function stages.requests(k)
  return network(k, "request", "the network to the L2")
end

function stages.l2(k)
  return cache(k, k.parts.l2, "the L2", "more MSHRs or a larger miss queue " ..
               "of the L2; more slices")
end

function stages.dram(k)
  local busy
  for _, prefix in ipairs(k.parts.dram) do
    local one = k:ratio({ prefix }, "busy_cycles", "cycles")
    if one then busy = math.max(busy or 0, one * k.stretch) end
  end
  local hits = k:ratio(k.parts.dram, "row_hits", "columns")
  return { name = "DRAM bandwidth", full = busy,
    tells = busy and ("its data buses are busy for %s of the time%s"):format(
      percent(busy), hits and (", %s of the accesses hit an open row"):format(
      percent(hits)) or ""),
    try = "fewer bytes: what stays in caches, or is not read twice; more or " ..
          "faster channels" }
end

function stages.replies(k)
  return network(k, "reply", "the network from the L2")
end

local way = { "ldst", "l1", "requests", "l2", "replies" }

------------------------------------------------------------------------------
-- What is said

-- Reasons of slots in which nothing was issued.
local reasons = {
  issued = "issued an instruction", memory = "waited for the data of a load",
  atomic = "waited for an atomic", membar = "waited for a memory barrier",
  ldst_full = "waited for a place in the load/store unit",
  unit_busy = "found the execution unit busy",
  result_bus = "found no slot on the result bus",
  collector = "found no operand collector",
  scoreboard = "waited for a result of an execution unit",
  fetch = "waited for an instruction", barrier = "waited at a barrier",
  fetch_miss = "waited for an instruction that missed in its cache",
  throttled = "were throttled by a policy",
  no_warp = "had no warp", drain = "had warps that were ending" }

local function slots_of(k)
  local list, all = k:entries(k.parts.sm, "issue_slots")
  -- SMs idle in a launch's window before and after it: those slots are not its.
  local share = {}
  local ran = all / k.stretch
  for _, one in ipairs(list) do
    if one[1] == "no_warp" then
      one[2] = math.max(one[2] - (all - ran), 0)
    end
    share[one[1]] = ran > 0 and one[2] / ran or 0
  end
  table.sort(list, function(a, b)
    if a[2] ~= b[2] then return a[2] > b[2] end
    return a[1] < b[1]
  end)
  return list, share
end

local function slot_lines(k)
  local list, share = slots_of(k)
  local words = {}
  for _, one in ipairs(list) do
    if share[one[1]] >= 0.05 and #words < 4 then
      words[#words + 1] = ("%s %s"):format(percent(share[one[1]]),
                                           reasons[one[1]] or one[1])
    end
  end
  return table.concat(words, ", "), share
end

-- Which stage holds the others up; nil if none is full.
local function fullest(k)
  local found
  for _, name in ipairs(way) do
    local stage = stages[name](k)
    k[name] = stage
    if stage.full and stage.full >= FULL then found = stage end
  end
  k.dram = stages.dram(k)
  return k.dram.full and k.dram.full >= BUSY and k.dram or found
end

-- What is said where most slots have no warp, and of the other slots.
local function few_warps(k, share)
  local grid, most = k.launches[1].grid, nil
  for reason in next, reasons do
    local part = share[reason] or 0
    if reason ~= "no_warp" and reason ~= "drain" and part > 0 and
       (not most or part > share[most] or
        part == share[most] and reason < most) then
      most = reason
    end
  end
  local sms = k:instances(k.parts.sm, "active_cycles")
  local ctas = grid and grid[1] * grid[2] * grid[3]
  return ("too few warps: most slots have none%s%s"):format(
    ctas and ctas < sms and (", %d %s for %d SMs"):format(ctas,
      ctas == 1 and "CTA" or "CTAs", sms) or "",
    most and "; of the others most " .. reasons[most] or "")
end

-- The verdict: what bounds it, and what could be tried.
local function verdict(k, share)
  local stage = fullest(k)
  local memory = (share.memory or 0) + (share.atomic or 0) +
                 (share.ldst_full or 0) + (share.membar or 0)
  local idle = (share.no_warp or 0) + (share.drain or 0)
  local compute = (share.unit_busy or 0) + (share.result_bus or 0) +
                  (share.collector or 0)
  if (share.issued or 0) >= MUCH then
    return "instructions: the schedulers issue in most cycles",
           "fewer instructions; the memory is not what bounds it"
  elseif stage and memory + idle >= (share.issued or 0) then
    return stage.name .. ": " .. stage.tells, stage.try
  elseif idle >= MUCH then
    return few_warps(k, share),
           "a larger grid, smaller CTAs, fewer registers or less shared " ..
           "memory a CTA; a few long CTAs at the end leave SMs idle, too"
  elseif memory >= compute and memory >= (share.scoreboard or 0) and
         memory >= (share.fetch or 0) + (share.fetch_miss or 0) then
    return "memory latency: warps wait for data, and no stage of its way " ..
           "is full",
           "more loads under way: more warps, independent loads, wider " ..
           "ones; a higher hit ratio"
  elseif (share.barrier or 0) >= math.max(compute, share.scoreboard or 0) then
    return "barriers: warps wait for others of their CTA",
           "smaller CTAs, more of them; less work between barriers that " ..
           "only some warps do"
  elseif (share.fetch or 0) + (share.fetch_miss or 0) >=
         math.max(compute, share.scoreboard or 0) then
    return "instruction fetch", "less code in the loop; a larger cache for it"
  elseif compute >= (share.scoreboard or 0) then
    return "execution units: instructions find theirs busy",
           "cheaper instructions; more or wider units"
  end
  return "dependencies: warps wait for their own results",
         "more warps, or independent instructions (unrolled loops)"
end

local function maybe(form, ...)
  for i = 1, select("#", ...) do
    if select(i, ...) == nil then return nil end
  end
  return form:format(...)
end

-- Lines about a kernel.
local function lines_of(k)
  local first = k.launches[1]
  local slots, share = slot_lines(k)
  local bound, try = verdict(k, share)
  local latency = k:mean(k.parts.ldst, "load_latency")
  local out = { { "bound by", bound }, { "try", try }, { "slots", slots } }
  local function add(name, line) out[#out + 1] = line and { name, line } or nil
  end
  local held = kernels.occupancy(k.file, k.parts, first)
  add("warps", maybe("%s of an SM's places have one; grid %s, blocks of %s, " ..
    "%d registers", held and percent(held), first.grid and
    kernels.sizes(first.grid), first.block and kernels.sizes(first.block),
    first.registers))
  add("loads", maybe("%.0f cycles from issue to data, on average; %.2f " ..
    "accesses each", latency,
    k:ratio(k.parts.ldst, "load_accesses", "coalesced_loads")))
  local function hits(parts, stage)
    local ratio = k:ratio(parts, "hits", "lookups")
    return ratio and ("%s of %s look-ups hit%s"):format(percent(ratio),
      text.thousands(math.tointeger(k:sum(parts, "lookups")) or 0),
      stage.tells and stage.full > 0.005 and "; " .. stage.tells or "")
  end
  add("L1", hits(k.parts.l1, k.l1))
  local from = k.replies.full or 0
  local to = k.requests.full or 0
  add("network", k.requests.tells and math.max(from, to) > 0.005 and
    ("to the L2: %s%s"):format(k.requests.tells, from > to and from > 0.005 and
      k.replies.tells and "; from it: " .. k.replies.tells or ""))
  add("L2", hits(k.parts.l2, k.l2))
  add("DRAM", k.dram.tells)
  add("ceilings", roofline.tells(k))
  return out
end

------------------------------------------------------------------------------

-- The launches of a file by kernel: names, the one that takes longest first;
-- { launches =, seen = those of which snapshots tell, seconds = } by name; and
-- the time of all.
local function by_kernel(file)
  local list = kernels.launches_of(file)
  if #list == 0 then results.refuse("'%s' has no launches", file.path) end
  kernels.find_windows(file, list)
  local of, names, all = {}, {}, 0
  for _, launch in ipairs(list) do
    local name = kernels.plain(launch.name)
    local own = of[name]
    if not own then
      own = { launches = {}, seen = {}, seconds = 0, number = #names }
      names[#names + 1], of[name] = name, own
    end
    own.launches[#own.launches + 1] = launch
    if not launch.why then own.seen[#own.seen + 1] = launch end
    own.seconds, all = own.seconds + launch.seconds, all + launch.seconds
  end
  table.sort(names, function(x, y)
    if of[x].seconds ~= of[y].seconds then
      return of[x].seconds > of[y].seconds
    end
    return of[x].number < of[y].number
  end)
  return names, of, all
end

-- One launch of those.
local function only(file, of, number)
  for name, own in next, of do
    for _, launch in ipairs(own.launches) do
      if launch.number == number then
        return name, { launches = { launch }, seconds = launch.seconds,
                       seen = { not launch.why and launch or nil } }
      end
    end
  end
  results.refuse("'%s' has no launch %d", file.path, number)
end

-- The kernel to explain: the one named, or that takes longest, or one launch.
local function choose(file, name, number)
  local names, of, all = by_kernel(file)
  if number then
    local kernel, own = only(file, of, number)
    if name and name ~= kernel then
      results.refuse("launch %d of '%s' is of kernel '%s'", number, file.path,
                     kernel)
    end
    return kernel, own, all
  elseif name and not of[name] then
    results.refuse("'%s' has no kernel '%s'%s", file.path, name,
                   suggest.hint(name, names))
  end
  name = name or names[1]
  return name, of[name], all
end

-- What there is to say of some launches, of a file or of a machine that runs.
local function kernel_of(file, launches)
  local k = setmetatable({ file = file, launches = launches,
                           parts = kernels.parts_of(file), stretch = 1 },
                         Kernel)
  k.parts.noc = file:groups_with("request_packets", "reply_packets")
  k.parts.ldst = file:groups_with("stall_cycles", "coalesced_loads")
  return k
end

-- Of a machine that runs (look/live.lua), what bounds it now.
function M.now(file, launch)
  local k = kernel_of(file, { launch })
  k.active = k:sum(k.parts.gpu, "active_cycles")
  local slots, share = slot_lines(k)
  local bound, try = verdict(k, share)
  local full = {}
  for _, name in ipairs { "ldst", "l1", "requests", "l2", "dram", "replies" } do
    local stage = k[name]
    if stage and stage.full then
      full[#full + 1] = { name = stage.name, full = stage.full,
                          tells = stage.tells or "" }
    end
  end
  return { bound = bound, try = try, slots = slots, stages = full }, k
end

-- Of a kernel's launches; and what is to be said of them before, or nil.
local function of_file(file, name, own)
  local k, remark = kernel_of(file, own.seen), nil
  k.name = name
  if #own.seen == 0 then
    local samples = #file:samples()
    k.launches = { setmetatable({ begin = 0, end_ = samples },
                                { __index = own.launches[1] }) }
    remark = "of the whole run, as no snapshots were taken around its " ..
             "launches alone"
  else
    local ran, window = 0, 0
    for _, launch in ipairs(own.seen) do
      ran, window = ran + launch.seconds, window + launch.window
    end
    if ran <= 0 then results.refuse("'%s' has no times", file.path) end
    k.stretch = math.max(window / ran, 1)
    if #own.seen < #own.launches then
      remark = ("of %d of its launches: others ran beside the rest"):format(
        #own.seen)
    end
  end
  k.active = k:sum(k.parts.gpu, "active_cycles")
  return k, remark
end

local MOST = 4 -- rooflines in a picture

-- Rooflines of what was asked for, or of the kernels that take longest.
local function figure(file, wanted, number, options)
  local list = {}
  if wanted or number then
    local name, own = choose(file, wanted, number)
    list[1] = of_file(file, name, own)
  else
    local names, of = by_kernel(file)
    for i = 1, math.min(MOST, #names) do
      if #of[names[i]].seen > 0 or #names == 1 then
        list[#list + 1] = of_file(file, names[i], of[names[i]])
      end
    end
  end
  local out = roofline.figure(list) or
              results.refuse("'%s' has no roofline: no snapshots around its " ..
                             "kernels, or nothing with a ceiling was used",
                             file.path)
  return import "look/shape".finish(out, import "look/plot".style(options,
    { log = true }))
end

local function as_object(name, own, all, remark, findings)
  local value = { kernel = name, launches = #own.launches,
                  seconds = own.seconds,
                  share = all > 0 and own.seconds / all or 0,
                  remark = remark or json.null }
  for _, row in ipairs(findings) do
    if row[1] == "" or row[1] == "hottest" then
      value.hottest = value.hottest or {}
      table.insert(value.hottest, row[2])
    else
      value[row[1]:lower():gsub(" ", "_")] = row[2]
    end
  end
  return { json.encode(value) }
end

local function tell(file, wanted, number, as_json)
  local name, own, all = choose(file, wanted, number)
  local k, remark = of_file(file, name, own)
  local findings = lines_of(k)
  if profile.has(file) then
    local more = profile.findings(file, name)
    table.move(more, 1, #more, #findings + 1, findings)
  end
  if as_json then return as_object(name, own, all, remark, findings) end
  local lines = { ("%s: %s, %s, %s of the kernels' time"):format(name,
    number and ("launch %d"):format(number) or ("%s launch%s"):format(
      text.thousands(#own.launches), #own.launches == 1 and "" or "es"),
    kernels.duration(own.seconds), percent(all > 0 and own.seconds / all or 0))
  }
  lines[2] = remark and "  " .. remark
  local more = text.wrapped(findings, "  ", 80)
  return table.move(more, 1, #more, #lines + 1, lines)
end

-- Exit status, or nil and why the command line is wrong.
function M.main(words, options)
  if not words[1] or words[3] then
    return nil, "explain needs a results file, and may have a kernel"
  end
  return results.show_run(words[1], "explain", function(file)
    local lines = tell(file, words[2], options.launch, options.json)
    if options.out then
      import "look/plot".put_too(figure(file, words[2], options.launch,
                                        options), options, lines)
    end
    return lines
  end)
end

return M
