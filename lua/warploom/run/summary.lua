-- The table at the end of a run.

local import = ...
local session = import "script/session"
local record = import "machine/record"
local text = import "base/text"
local json = import "base/json"

local M = {}

local labels = { gpu = "GPU", dram = "DRAM" }

-- Devices after the first are below it: machine/devices.lua.
local function is_peers(group)
  return session.devices > 1 and group:find("/peer/", 1, true) ~= nil
end

local function label_of(group)
  local last = group:match("([^/]+)$")
  return (is_peers(group) and "peers' " or "") ..
         (labels[last] or last:upper())
end

-- Rows for the caches and memories of the machine, in the order of groups.
local function memory_rows(run, rows)
  local catalog = run.catalog
  local groups = catalog:groups()
  local function depth(g)
    return select(2, g.group:gsub("/", "")) - (is_peers(g.group) and 1 or 0)
  end
  table.sort(groups, function(a, b) -- what is in the SMs first
    if depth(a) ~= depth(b) then return depth(a) > depth(b) end
    local far = is_peers(b.group)
    if is_peers(a.group) ~= far then return far end
    return a.group < b.group
  end)
  for _, g in ipairs(groups) do
    if g.type == "cache" then
      local ratio = catalog:query(g.group, "miss_ratio")
      local accesses = catalog:query(g.group, "accesses")
      if ratio and accesses ~= 0 then
        rows[#rows + 1] = { label_of(g.group) .. " miss ratio",
          text.percent(ratio), accesses and
          ("of %s accesses"):format(text.thousands(accesses)) or "" }
      end
    end
  end
  for _, g in ipairs(groups) do
    if g.type == "dram" then
      local rate = catalog:query(g.group, "bandwidth")
      local busy = catalog:query(g.group, "utilisation")
      if rate then
        rows[#rows + 1] = { label_of(g.group) .. " bandwidth",
          ("%.2f GB/s"):format(rate / 1e9), busy and
          ("busy %s of the time"):format(text.percent(busy)) or "" }
      end
    end
  end
end

-- Hit ratios of the caches of a machine without time.
local function model_rows(run, rows)
  for _, g in ipairs(run.catalog:groups()) do
    local name = g.group:match("([^/]+)$")
    local loads = g.type == "cache" and run.caches[name]
    if loads then
      rows[#rows + 1] = { name .. " hit ratio",
        text.percent(loads.hits / math.max(loads.accesses, 1)),
        ("of %s lines"):format(text.thousands(loads.accesses)) }
    end
  end
end

local function verdict(run)
  if #run.verdicts > 0 then return table.concat(run.verdicts, "; ") end
  if run.status == "cut" or run.status == "interrupted" then
    return "no: " .. run.reason
  end
  return "not checked by the workload"
end

local function state(run)
  if run.status == "complete" or run.status == "cut" then
    return run.reason
  end
  return run.status
end

-- Kernels whose CTAs were executed in turns, or nil.
local function interleaved(run)
  local count = 0
  for _, kernel in ipairs(run.kernels) do
    if kernel.interleave and kernel.interleave > 0 then count = count + 1 end
  end
  return count > 0 and count or nil
end

-- What a sampled run says of itself.  An interval of 95 % has 1.96 standard
-- errors on each side.
local function sampled_rows(run, add)
  local share = run.seconds > 0 and run.seconds_error / run.seconds or 0
  add("error of time", share == share and ("+-%.2f %%"):format(196 * share) or
      "unknown", "half of a 95 % interval")
  local sampler = run.sampler
  local timed = sampler.timed > 0 and
                (" (%d of them read the time)"):format(sampler.timed) or ""
  add("sampled", ("%.1f %%"):format(100 * run.sampled),
      ("of the instructions left out or in ramps, %d windows; of %d " ..
       "launches %d in full%s, %d passed over"):format(
      sampler.windows, sampler.launches, sampler.whole, timed, sampler.over))
end

function M.rows(run)
  local rows = {
    { "verified", verdict(run) },
    { "ended", state(run) },
    { "kernels", text.thousands(#run.kernels) },
  }
  local function add(...) rows[#rows + 1] = { ... } end
  if run.timed then
    add("timed", ("%d of %d launches"):format(run.timed.count, run.timed.all),
        "the others took no time and are in no number below")
  end
  if not run.functional then
    add("simulated time", ("%.3f us"):format(run.seconds * 1e6))
    add("cycles", text.thousands(run.cycles))
    if run.sampler then sampled_rows(run, add) end
  end
  add("warp instructions", text.thousands(run.warp_insts))
  if interleaved(run) then
    add("interleaved", ("%d kernels"):format(interleaved(run)),
        "CTAs executed in turns: how long they wait is approximate")
  end
  if not run.functional then
    local cycles = math.max(run.cycles, 1)
    add("IPC", ("%.3f"):format(run.warp_insts / cycles),
        ("warp instructions per cycle; %.1f thread instructions"):format(
          run.thread_insts / cycles))
    memory_rows(run, rows)
  end
  if run.model then model_rows(run, rows) end
  add("speed", ("%s"):format(text.thousands(run.kips * 1000)),
      ("warp instructions per host second (%.2f s of %.2f s in all)"):format(
        run.busy, run.wall))
  add("state digest", run.digest:sub(1, 16))
  if run.file then add("file", run.file) end
  if run.timeline and run.timeline.totals then
    add("timeline", run.timeline.path, import "run/timeline".tells(run))
  end
  return rows
end

-- Ratios of the caches and rates of the memories, by their path.
local function memories(run)
  local out, catalog = {}, run.catalog
  local wanted = {
    cache = { "accesses", "misses", "miss_ratio" },
    dram = { "bytes_read", "bytes_written", "bandwidth", "utilisation" },
  }
  for _, g in ipairs(catalog:groups()) do
    local one = {}
    for _, name in ipairs(wanted[g.type] or {}) do
      one[name] = catalog:query(g.group, name)
    end
    if next(one) then out[g.group] = one end
  end
  return next(out) and out or nil
end

-- The same for a program: an object of one line.
local function line_of(run)
  local root, value = run.description.root, {
    workload = run.workload, machine = record.data(run.description.root).preset,
    status = run.status, reason = run.reason, kernels = #run.kernels,
    verdicts = #run.verdicts > 0 and run.verdicts or json.empty,
    warp_insts = run.warp_insts, seed = run.seed, file = run.file,
    host_seconds = run.wall, digest = run.digest }
  value.machine = value.machine or tostring(root)
  if not run.functional then
    value.cycles, value.seconds = run.cycles, run.seconds
    value.ipc = run.warp_insts / math.max(run.cycles, 1)
    value.memories = memories(run)
  end
  value.threads = run.threads and import "run/threads".data(run.threads)
  if run.sampler then
    value.sampled, value.cycles_stderr = run.sampled, run.cycles_error
  end
  return json.encode(value)
end

-- Failures are told on stderr, the table goes to stdout.
function M.show(run)
  if run.status == "deadlock" then
    io.stderr:write("deadlock: the machine makes no progress\n", run.reason,
                    "\n")
  elseif run.status == "violation" then
    for _, v in ipairs(run.violations) do
      io.stderr:write(("%s: %s\n"):format(v.path, v.text))
    end
  elseif run.status == "interrupted" then
    io.stderr:write(("warploom: %s after %.1f s%s\n"):format(run.reason,
      run.wall, session.quiet and "" or "; what is known:"))
  elseif run.status == "verify" then
    io.stderr:write("wrong result: ", run.reason, "\n")
  elseif run.status ~= "complete" and run.status ~= "cut" then
    local kind = (run.status == "output" or run.status == "policy" or
                  run.status == "memory") and run.status or "workload"
    io.stderr:write(kind, " error: ", run.reason, "\n")
  end
  if run.output_error then
    io.stderr:write("output error: ", run.output_error, "\n")
  end
  if session.json then
    io.stdout:write(line_of(run), "\n")
    io.stdout:flush()
    return
  end
  local lines = {}
  if not session.quiet then
    local root = run.description.root
    lines = text.columns(M.rows(run), nil, "  ")
    table.insert(lines, 1, ("%s on %s"):format(run.workload,
                 record.data(root).preset or tostring(root)))
  end
  if run.threads then
    local more = import "run/threads".lines(run.threads)
    table.move(more, 1, #more, #lines + 1, lines)
  end
  for _, line in ipairs(lines) do io.stdout:write(line, "\n") end
  io.stdout:flush()
end

return M
