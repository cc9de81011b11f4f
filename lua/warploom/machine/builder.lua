-- GPUs from tables of numbers: what presets and imported configurations have
-- in common.
--
-- A description has parts; a part's entries are { value, source }:
--
--   clock    core, dram, and noc and l2 if they are not the core's
--   shape    sms, channels, slices (L2 slices per channel), cluster (SMs that
--            share a port of the network; 1), tlb_sms (that share a TLB; 1)
--   path     cycles of the core's clock: rop (network to L2), far (more than
--            that, by a second link to each slice), dram (L2 to DRAM),
--            dram_latency (the same within the channel, for which requests
--            set out while its queue has room), response (network to SM);
--            messages: inject, eject (at the network), icnt_l2, l2_dram,
--            dram_l2, l2_icnt (queues of a partition)
--   slots    scheduler, coalesce, l1d_index, l2_index, map, schedule, routing,
--            dispatch, l1d_replacement, l2_replacement: a policy's name; or a
--            table of its name, as [1], and its parameters
--   gpu, sm, ldst, l1d, l1c, l1t, noc, l2, dram: parameters of components
--   tlb, l2tlb, walker: likewise; the second is a cache of entries
--
-- A machine without `l1c` or `l1t` has no such caches; one without `tlb` does
-- not translate; one with sm.l0i_sets fetches instructions over the network.
-- What follows from other numbers is not repeated: warps, numbers of SMs,
-- channels and slices, limits of CTAs.

local import = ...
local session = import "script/session"
local link = import "machine/link"
local unit = import "base/unit"
local poison = import "base/poison"

local M = {}

local parts = { "clock", "shape", "slots", "gpu", "sm", "ldst", "l1d", "l1c",
                "l1t", "tlb", "l2tlb", "walker", "noc", "path", "l2",
                "dram" }
M.parts = parts

-- A description with `own` over `base`; an entry or a part that is false is
-- taken away.
function M.extend(base, own)
  local out = {}
  for _, part in ipairs(parts) do
    local entries, mine = {}, own[part]
    for key, entry in next, base[part] or {} do entries[key] = entry end
    for key, entry in next, mine or {} do
      entries[key] = entry or nil
    end
    out[part] = mine ~= false and next(entries) and entries or nil
  end
  return out
end

local function text_of(value)
  if type(value) ~= "table" then return tostring(value) end
  local words, keys = {}, {}
  for i, item in ipairs(value) do words[i] = tostring(item) end
  for key in next, value do
    if type(key) == "string" then keys[#keys + 1] = key end
  end
  table.sort(keys)
  for _, key in ipairs(keys) do
    words[#words + 1] = ("%s=%s"):format(key, text_of(value[key]))
  end
  return table.concat(words, " ")
end

-- Rows of part, parameter, value and source, in a fixed order.
function M.rows(description)
  local rows = {}
  for _, part in ipairs(parts) do
    local keys = {}
    for key in next, description[part] or {} do keys[#keys + 1] = key end
    table.sort(keys)
    for _, key in ipairs(keys) do
      local entry = description[part][key]
      rows[#rows + 1] = { part, key, text_of(entry[1]), entry[2] or "" }
    end
  end
  return rows
end

local function value_of(description, part, key, default)
  local entry = description[part] and description[part][key]
  if entry == nil then return default end
  return entry[1]
end

-- Parameters of a component: those of its part, and `more` where the part
-- does not say otherwise.
local function fields(description, part, more)
  local out = {}
  for key, value in next, more or {} do out[key] = value end
  for key, entry in next, description[part] or {} do out[key] = entry[1] end
  return out
end

local function policy(loom, description, slot, default)
  local chosen = value_of(description, "slots", slot, default)
  if chosen == nil then return nil end
  if type(chosen) == "string" then return loom[chosen] {} end
  local params = {}
  for key, value in next, chosen do
    if key ~= 1 then params[key] = value end
  end
  return loom[chosen[1]](params)
end

local function hertz(text)
  local value = unit.number(text, "Hz")
  if not value then
    session.problem("clock", ("is %s, expected a frequency such as " ..
                    "\"1.4GHz\""):format(unit.quote(text)))
    return 1e9
  end
  return value
end

-- Cycles of the core's clock in those of another, to the nearest.
local function cycles_in(n, core, other)
  return math.max(1, math.floor(n * hertz(other) / hertz(core) + 0.5))
end

-- Links, in cycles of the receiver's clock and in messages.  An L1 answers as
-- many hits in a cycle as it takes accesses, and a miss besides.
function M.wires(d)
  local core = value_of(d, "clock", "core")
  local noc, l2 = value_of(d, "clock", "noc", core),
                  value_of(d, "clock", "l2", core)
  local rop = cycles_in(value_of(d, "path", "rop", 1), core, l2)
  local dram = cycles_in(value_of(d, "path", "dram", 1), core,
                         value_of(d, "clock", "dram"))
  local cta = value_of(d, "path", "cta", 1)
  local function one(latency, capacity)
    return { latency = latency, credit = 1, capacity = capacity }
  end
  local accesses = value_of(d, "ldst", "accesses_per_cycle", 1)
  local function path(name, default) return value_of(d, "path", name, default)
  end
  return {
    cta = { request = one(cta, cta + 3), reply = one(cta, cta + 15) },
    warp = { request = one(1, 2), reply = one(1, 4) },
    access = { request = one(1, 2 * accesses),
               reply = one(1, 2 * accesses + 2) },
    translate = d.tlb and { request = one(1, 4), reply = one(1, 4) } or nil,
    inject = { request = one(1, path("inject", 8)),
               reply = one(path("response", 1), path("eject", 32)) },
    partition = { request = one(rop, 2 * rop + path("icnt_l2", 8)),
                  reply = one(1, path("l2_icnt", 8)) },
    channel = { request = one(dram, 2 * dram + path("l2_dram", 8)),
                reply = one(1, path("dram_l2", 8)) },
  }, noc, l2
end

-- The links to a slice beyond the near one: an equal part of the way to the
-- other partition longer each.
local FAR = 3

local function link_far(loom, d, gpu, slices)
  local core = value_of(d, "clock", "core")
  local l2 = value_of(d, "clock", "l2", core)
  for k = 1, FAR do
    local cycles = cycles_in(value_of(d, "path", "rop", 1) +
                             value_of(d, "path", "far") * k // FAR, core, l2)
    local wire = {
      request = { latency = cycles, credit = 1, capacity = 2 * cycles +
                  value_of(d, "path", "icnt_l2", 8) },
      reply = { latency = 1, credit = 1,
                capacity = value_of(d, "path", "l2_icnt", 8) },
    }
    link.check(wire)
    for i = 0, slices - 1 do
      loom.link(gpu.noc.down[k * slices + i], gpu.l2[i].up[k], wire)
    end
  end
end

local function make_sm(loom, d, sms)
  local gpu = d.gpu
  local threads = gpu.sm_threads[1]
  local warps = threads // 32
  local sm = loom.sm(fields(d, "sm", {
    warps = warps, scheduler = policy(loom, d, "scheduler", "gto") }))
  sm.ldst = loom.ldst(fields(d, "ldst", {
    warps = warps, sms = sms, sm_threads = threads,
    sm_registers = gpu.sm_registers[1],
    sm_shared_bytes = gpu.sm_shared_bytes[1], sm_ctas = gpu.sm_ctas[1],
    register_grain = value_of(d, "gpu", "register_grain"),
    register_files = value_of(d, "gpu", "register_files"),
    shared_grain = value_of(d, "gpu", "shared_grain"),
    shared_kept = value_of(d, "gpu", "shared_kept"),
    line_bytes = d.l1d and value_of(d, "l1d", "line_bytes"),
    const_line_bytes = d.l1c and value_of(d, "l1c", "line_bytes"),
    texture_line_bytes = d.l1t and value_of(d, "l1t", "line_bytes"),
    coalesce = policy(loom, d, "coalesce", "fermi_coalesce") }))
  for _, name in ipairs { "l1d", "l1c", "l1t" } do
    if d[name] then
      sm[name] = loom.cache(fields(d, name, {
        level = "l1",
        accesses_per_cycle = name == "l1d" and
          value_of(d, "ldst", "accesses_per_cycle") or nil,
        replacement = policy(loom, d, name .. "_replacement", "lru"),
        set_index = policy(loom, d, name .. "_index", "linear_index") }))
    end
  end
  return sm
end

-- A cluster's SMs share its port of the network, which takes and brings one
-- packet in a cycle.
local function make_clusters(loom, d, gpu, sms, clock)
  local size = value_of(d, "shape", "cluster", 1)
  if size == 1 then return end
  local count = (sms + size - 1) // size
  gpu.cluster = loom.list(count, loom.crossbar {
    clock = clock, flit_bytes = 256, latency = 1,
    input_buffer_flits = 1, output_buffer_flits = 1,
    slices_per_channel = 1, map = loom.linear_map {} })
  for i = 0, count - 1 do
    local wire = { latency = 1, credit = 1, capacity = 2 }
    loom.link(gpu.cluster[i].down[0], gpu.noc.up[i],
              { request = wire, reply = wire })
  end
end

-- TLBs between the caches of SMs and the network, and who finds what they
-- miss: a cache of entries that they share, and a walker behind it.  A walker
-- whose levels do not have cycles of their own loads them over the network.
local function make_tlbs(loom, d, gpu, sms)
  if not d.tlb then return end
  local size = value_of(d, "shape", "tlb_sms", 1)
  local count = (sms + size - 1) // size
  local wire = { latency = 1, credit = 1, capacity = 8 }
  local both = { request = wire, reply = wire }
  gpu.tlb = loom.list(count, loom.tlb(fields(d, "tlb")))
  gpu.walks = loom.crossbar {
    flit_bytes = 32, latency = 1, slices_per_channel = 1,
    map = loom.linear_map {} }
  gpu.l2tlb = loom.cache(fields(d, "l2tlb", { level = "l2" }))
  gpu.walker = loom.walker(fields(d, "walker"))
  for i = 0, count - 1 do
    loom.link(gpu.tlb[i].walk, gpu.walks.up[i], both)
  end
  loom.link(gpu.walks.down[0], gpu.l2tlb.up, both)
  loom.link(gpu.l2tlb.down, gpu.walker.up, both)
end

local function link_sm(loom, d, gpu, i, sms, wires)
  local sm, noc, port, step = gpu.sm[i], gpu.noc, i, sms
  local cluster = value_of(d, "shape", "cluster", 1)
  if cluster > 1 then
    noc, port = gpu.cluster[i // cluster], i % cluster
    step = math.min(cluster, sms - i + port)
  end
  loom.link(gpu, sm.gpu, wires.cta)
  loom.link(sm, sm.ldst.sm, wires.warp)
  local shared = value_of(d, "shape", "tlb_sms", 1)
  local tlb, translated = d.tlb and gpu.tlb[i // shared], i % shared
  local function down(from)
    if tlb then
      loom.link(from, tlb.up[translated], wires.translate)
      from, translated = tlb.down[translated], translated + shared
    end
    loom.link(from, noc.up[port], wires.inject)
    port = port + step
  end
  if d.l1d then
    loom.link(sm.ldst.l1, sm.l1d.up, wires.access)
    down(sm.l1d.down)
  else
    down(sm.ldst.l1)
  end
  if d.sm and d.sm.l0i_sets and not d.sm.l0i_fill_cycles then
    down(sm.l1i)
  end
  for _, name in ipairs { "l1c", "l1t" } do
    if d[name] then
      loom.link(sm.ldst[name], sm[name].up, wires.access)
      down(sm[name].down)
    end
  end
end

-- Cycles in which requests are on the way to a channel's queue, if they set out
-- only while it has room; one of them is the link's.
function M.dram_delay(d)
  local cycles = value_of(d, "path", "dram_latency", false)
  return cycles and cycles_in(cycles, value_of(d, "clock", "core"),
                              value_of(d, "clock", "dram")) - 1 or nil
end

-- The machine of a description, with so many SMs, and channels if they are
-- others than its own.
function M.build(description, sms, loom, channels)
  local _ <close> = session.pin()
  local _ <close> = session.uncollected()
  local d = description
  local slices = value_of(d, "shape", "slices")
  channels = channels or value_of(d, "shape", "channels")
  local wires, noc_clock, l2_clock = M.wires(d)
  for _, both in next, wires do link.check(both) end
  local function map() return policy(loom, d, "map", "gpgpusim_map") end

  local gpu = loom.gpu(fields(d, "gpu", {
    clock = value_of(d, "clock", "core"), ctas_per_cycle = sms,
    dispatch = policy(loom, d, "dispatch") }))
  if gpu == poison then return poison end
  gpu.sm = loom.list(sms, make_sm(loom, d, sms))
  local far = value_of(d, "path", "far", 0) > 0
  gpu.noc = loom.crossbar(fields(d, "noc", {
    clock = noc_clock, slices_per_channel = slices, map = map(),
    slice_links = far and FAR + 1 or nil,
    routing = policy(loom, d, "routing") }))
  gpu.l2 = loom.list(channels * slices, loom.cache(fields(d, "l2", {
    clock = l2_clock, level = "l2", map_channels = channels,
    map_slices = slices, map = map(),
    replacement = policy(loom, d, "l2_replacement", "lru"),
    set_index = policy(loom, d, "l2_index", "linear_index") })))
  gpu.dram = loom.list(channels, loom.dram(fields(d, "dram", {
    clock = value_of(d, "clock", "dram"), channels = channels,
    slices_per_channel = slices, map = map(),
    delay = M.dram_delay(d),
    schedule = policy(loom, d, "schedule", "frfcfs") })))
  make_clusters(loom, d, gpu, sms, noc_clock)
  make_tlbs(loom, d, gpu, sms)
  for i = 0, sms - 1 do link_sm(loom, d, gpu, i, sms, wires) end
  if d.tlb and not value_of(d, "walker", "level_cycles") then
    loom.link(gpu.walker.down, gpu.noc.up, wires.inject)
  end
  for i = 0, channels * slices - 1 do
    loom.link(gpu.noc.down[i], gpu.l2[i].up, wires.partition)
    loom.link(gpu.l2[i].down, gpu.dram[i // slices].up[i % slices],
              wires.channel)
  end
  if far then link_far(loom, d, gpu, channels * slices) end
  return gpu
end

return M
