-- What the options of GPGPU-Sim become: a description as machine/builder.lua
-- wants it, each number with the file, line and option that it comes from.
--
-- An option that the file does not give has GPGPU-Sim 4.2's default.

local import = ...
local session = import "script/session"
local unit = import "base/unit"

local M = {}

local defaults = {
  gpgpu_shader_core_pipeline = "1024:32", gpgpu_shader_registers = "8192",
  gpgpu_shader_cta = "32", gpgpu_n_clusters = "10",
  gpgpu_n_cores_per_cluster = "3",
  gpgpu_clock_domains = "500.0:2000.0:2000.0:2000.0",
  gpgpu_shmem_size = "16384", gpgpu_smem_latency = "3",
  gpgpu_shmem_num_banks = "16", gpgpu_shmem_option = "0",
  gpgpu_unified_l1d_size = "0", gpgpu_adaptive_cache_config = "0",
  ["gpgpu_cache:dl1"] = "none",
  ["gpgpu_cache:dl2"] = "S:32:128:24,L:B:m:L:P,A:192:4,32:0,32",
  ["gpgpu_cache:il1"] = "4:256:4,L:R:f:N,A:2:48,4",
  ["gpgpu_const_cache:l1"] = "64:64:2,L:R:f:N,A:2:32,4",
  ["gpgpu_tex_cache:l1"] = "8:128:5,L:R:m:N,F:128:4,128:2",
  gpgpu_l1_latency = "1", gpgpu_l1_banks = "1",
  gpgpu_l1_banks_byte_interleaving = "32",
  gpgpu_l1_banks_hashing_function = "0", gpgpu_l1_cache_write_ratio = "0",
  gpgpu_gmem_skip_L1D = "0", gpgpu_perfect_inst_const_cache = "0",
  gpgpu_flush_l1_cache = "0", gpgpu_inst_fetch_throughput = "1",
  gpgpu_reg_file_port_throughput = "1", gpgpu_num_reg_banks = "8",
  gpgpu_sub_core_model = "0",
  gpgpu_enable_specialized_operand_collector = "1",
  gpgpu_num_sched_per_core = "1", gpgpu_max_insn_issue_per_warp = "2",
  gpgpu_dual_issue_diff_exec_units = "1",
  gpgpu_pipeline_widths = "1,1,1,1,1,1,1,1,1,1,1,1,1",
  gpgpu_num_sp_units = "1", gpgpu_num_dp_units = "0",
  gpgpu_num_int_units = "0", gpgpu_num_sfu_units = "1",
  gpgpu_num_tensor_core_units = "0", gpgpu_num_mem_units = "1",
  gpgpu_scheduler = "gto", gpgpu_coalesce_arch = "13",
  gpgpu_local_mem_map = "1", gpgpu_n_mem = "8",
  gpgpu_n_sub_partition_per_mchannel = "1", gpgpu_n_mem_per_ctrlr = "1",
  gpgpu_dram_buswidth = "4", gpgpu_dram_burst_length = "4",
  dram_data_command_freq_ratio = "2",
  gpgpu_dram_timing_opt = "4:2:8:12:21:13:34:9:4:5:13:1:0:0",
  gpgpu_l2_rop_latency = "85", dram_latency = "30",
  dram_dual_bus_interface = "0", dram_bnkgrp_indexing_policy = "0",
  gpgpu_dram_scheduler = "1", gpgpu_frfcfs_dram_sched_queue_size = "0",
  gpgpu_dram_return_queue_size = "0",
  gpgpu_dram_partition_queues = "8:8:8:8",
  gpgpu_memory_partition_indexing = "0",
  gpgpu_n_cluster_ejection_buffer_size = "8",
  gpgpu_n_ldst_response_buffer_size = "2", network_mode = "1",
  icnt_flit_size = "32", icnt_in_buffer_limit = "64",
  icnt_out_buffer_limit = "64",
  ptx_opcode_latency_int = "1,1,19,25,145,32",
  ptx_opcode_latency_fp = "1,1,1,1,30", ptx_opcode_latency_dp = "8,8,8,8,335",
  ptx_opcode_latency_sfu = "8", ptx_opcode_latency_tesnor = "64",
  ptx_opcode_initiation_int = "1,1,4,4,32,4",
  ptx_opcode_initiation_fp = "1,1,1,1,5",
  ptx_opcode_initiation_dp = "8,8,8,8,130",
  ptx_opcode_initiation_sfu = "8", ptx_opcode_initiation_tensor = "64",
}
local units = { sp = 4, dp = 0, sfu = 4, int = 0, tensor_core = 4, mem = 2,
                gen = 0 }
for pool, count in next, units do
  local name = "gpgpu_operand_collector_num_%s_" .. pool
  defaults[name:format "units"] = tostring(count)
  local ports = count > 0 and "1" or "0"
  defaults[name:format "in_ports"], defaults[name:format "out_ports"] = ports,
                                                                       ports
end

------------------------------------------------------------------------------
-- Reading values

local Reader = {}
Reader.__index = Reader

-- The text of an option and where it comes from.
function Reader:text(name)
  local entry = self.given[name]
  if entry then
    return entry[1], ("%s:%d -%s %s"):format(entry.file, entry.line, name,
                                              entry[1])
  end
  return defaults[name], "GPGPU-Sim's default of -" .. name
end

function Reader:bad(name, expected)
  local entry = self.given[name] or {}
  session.problem("gpgpusim", ("-%s is '%s', expected %s"):format(name,
    (self:text(name)), expected), { file = entry.file or "gpgpusim.config",
                                    line = entry.line or 1 })
end

function Reader:number(name)
  local text, source = self:text(name)
  local n = math.tointeger(tonumber(text))
  if not n or n < 0 then
    self:bad(name, "a whole number")
    n = 0
  end
  return n, source
end

-- An entry { value, source }; `scale` is applied to it.
function Reader:entry(name, change)
  local n, source = self:number(name)
  if change then n = change(n) end
  return { n, source }
end

function Reader:flag(name)
  local n, source = self:number(name)
  return { n ~= 0, source }
end

-- Whole numbers with separators; `least` are needed.
function Reader:list(name, separator, least)
  local text, source = self:text(name)
  local out = {}
  for word in (text .. separator):gmatch("(.-)" .. separator) do
    out[#out + 1] = math.tointeger(tonumber(word)) or false
  end
  for _, n in ipairs(out) do
    if not n then least = #out + 1 end
  end
  if #out < least then
    self:bad(name, ("numbers with '%s' between them"):format(separator))
    for i = 1, 16 do out[i] = out[i] or 1 end
  end
  return out, source
end

------------------------------------------------------------------------------
-- Caches

local replacement = { L = "lru", F = "fifo" }
-- `s` is a streaming cache: in version 4.2 it only allocates on fill; early
-- versions 4.0 gave it an MSHR for each line as well (line_mshrs).
local allocate = { m = "on_miss", f = "on_fill", s = "on_fill" }
local index = { L = "linear_index", H = "fermi_index", X = "xor_index",
                P = "ipoly_index" }
local cache_form = "sets:line:ways,repl:write:alloc:write_alloc[:index]," ..
                   "mshr:entries:merges,queue[:fifo][,port], perhaps with " ..
                   "N: or S: in front"

-- The fields of a cache string, or nil after a problem.
function Reader:cache(name)
  local text, source = self:text(name)
  if text == "none" then return nil, source end
  local kind, rest = text:match "^([NS]):(.*)$"
  local sets, line, ways, repl, write, alloc, walloc, hash, mshr, entries,
        merges, queue, tail = (rest or text):match(
    "^(%d+):(%d+):(%d+),(%u):(%u):(%l):(%u):?(%u?),(%u):(%d+):(%d+),(%d+)(.*)$")
  local port = tail and tail:match "^:?%d*,(%d+)$"
  if not sets or (tail ~= "" and not port and not tail:find "^:%d+$") or
     not replacement[repl] or not allocate[alloc] or
     not index[hash == "" and "L" or hash] then
    self:bad(name, cache_form)
    return nil, source
  end
  return { sectored = kind == "S", sets = tonumber(sets),
           line = tonumber(line), ways = tonumber(ways), repl = repl,
           write = write, alloc = alloc, walloc = walloc,
           hash = hash == "" and "L" or hash, mshr = mshr,
           entries = tonumber(entries), merges = tonumber(merges),
           queue = tonumber(queue), port = port and tonumber(port) }, source
end

-- Parameters that all caches have.
local function common(c, source)
  local p = { size_bytes = { c.sets * c.ways * c.line, source },
              ways = { c.ways, source }, line_bytes = { c.line, source },
              allocate = { allocate[c.alloc], source },
              mshr_entries = { c.entries, source },
              mshr_merges = { c.merges, source },
              miss_queue = { c.queue, source } }
  if c.sectored then
    p.sector_bytes = { 32, source }
    p.split_sectors = { true, source }
    p.mshr_unit = { "sector", source }
  end
  if c.port then
    p.data_port_bytes = { c.port, source }
    p.fill_port_bytes = { c.port, source }
  end
  return p
end

local write_policy = { L = "write_evict", E = "write_evict",
                       T = "write_through", B = "write_back" }
local write_miss = { N = "no_allocate", W = "write_allocate", F = "validate",
                     L = "lazy" }

function Reader:writable(p, c, name, source)
  local policy, miss = write_policy[c.write], write_miss[c.walloc]
  if not policy or not miss then
    self:bad(name, "write policy L, E, T or B and allocation N, W, F or L")
    return
  end
  p.write_policy = { policy, source }
  if policy ~= "write_evict" then p.write_miss = { miss, source } end
  if c.write == "L" then p.local_write_back = { true, source } end
end

function Reader:l1d(d)
  local c, source = self:cache "gpgpu_cache:dl1"
  if not c then
    d.sm.flush_l1, d.ldst.flushes_l1 = { false, source }, { false, source }
    return
  end
  local p = common(c, source)
  self:writable(p, c, "gpgpu_cache:dl1", source)
  local latency, from = self:number "gpgpu_l1_latency"
  -- The links from the SM to the L1 and back take 3 cycles of it.
  p.hit_latency = { math.max(latency - 3, 0), from }
  p.banks = self:entry "gpgpu_l1_banks"
  p.bank_bytes = self:entry "gpgpu_l1_banks_byte_interleaving"
  p.bank_hash = self:entry("gpgpu_l1_banks_hashing_function", function(n)
    return n == 0 and "linear" or "xor"
  end)
  p.write_ratio = self:entry "gpgpu_l1_cache_write_ratio"
  d.ldst.accesses_per_cycle = self:entry "gpgpu_l1_banks"
  d.slots.l1d_index = { index[c.hash], source }
  d.slots.l1d_replacement = { replacement[c.repl], source }
  if self:flag("gpgpu_adaptive_cache_config")[1] then
    local size, unified = self:number "gpgpu_unified_l1d_size"
    d.ldst.unified_bytes = { size * 1024, unified }
    p.max_ways = { math.max(c.ways, size * 1024 // (c.sets * c.line)),
                   unified }
    d.ldst.shared_options = { self:list("gpgpu_shmem_option", ",", 1) }
  end
  d.l1d = p
end

function Reader:other_caches(d)
  if self:flag("gpgpu_perfect_inst_const_cache")[1] then
    local _, source = self:text "gpgpu_perfect_inst_const_cache"
    d.ldst.const_latency = { 1, source }
  else
    local c, source = self:cache "gpgpu_cache:il1"
    if c then
      d.sm.l0i_sets, d.sm.l0i_ways = { c.sets, source }, { c.ways, source }
      d.sm.l0i_line_bytes = { c.line, source }
      d.sm.l0i_mshrs = { c.entries, source }
      d.sm.l0i_merges = { c.merges, source }
    end
    c, source = self:cache "gpgpu_const_cache:l1"
    if c then
      d.l1c = common(c, source)
      d.l1c.hit_latency = { 0, "GPGPU-Sim: a hit is done at once" }
    end
  end
  local c, source = self:cache "gpgpu_tex_cache:l1"
  if c then
    d.l1t = common(c, source)
    d.l1t.hit_latency = { 0, "GPGPU-Sim: tags are looked up at once" }
  end
  c, source = self:cache "gpgpu_cache:dl2"
  if not c then return end
  d.l2 = common(c, source)
  self:writable(d.l2, c, "gpgpu_cache:dl2", source)
  d.l2.hit_latency = { 1, "GPGPU-Sim: a read hit is answered at once" }
  self:preload(d.l2)
  d.slots.l2_index = { index[c.hash], source }
  d.slots.l2_replacement = { replacement[c.repl], source }
end

-- Version 4 fills the L2 on copies unless it is told not to; 3.x never does,
-- and has none of these options.
function Reader:preload(l2)
  local name = "gpgpu_perf_sim_memcpy"
  if self.given[name] then
    l2.preload = self:flag(name)
  elseif self.given.gpgpu_coalesce_arch or self.given.gpgpu_l1_latency then
    l2.preload = { true, "GPGPU-Sim 4: -gpgpu_perf_sim_memcpy 1, its default" }
  end
end

------------------------------------------------------------------------------
-- Cores

local classes = { "add", "max", "mul", "mad", "div" }

function Reader:latencies(sm)
  for _, kind in ipairs { "int", "fp", "dp" } do
    for _, what in ipairs { { "latency", "latency" },
                            { "initiation", "interval" } } do
      local list, source = self:list(("ptx_opcode_%s_%s"):format(what[1],
                                     kind), ",", 5)
      for i, class in ipairs(classes) do
        sm[("%s_%s_%s"):format(kind, class, what[2])] = { list[i], source }
      end
      if kind == "int" and list[6] then
        sm["shuffle_" .. what[2]] = { list[6], source }
      end
    end
  end
  sm.sfu_latency = self:entry "ptx_opcode_latency_sfu"
  sm.sfu_interval = self:entry "ptx_opcode_initiation_sfu"
  sm.tensor_latency = self:entry "ptx_opcode_latency_tesnor"
  sm.tensor_interval = self:entry "ptx_opcode_initiation_tensor"
end

local pools = { sp = "sp", dp = "dp", sfu = "sfu", int = "int",
                tensor = "tensor_core", ldst = "mem", generic = "gen" }

function Reader:collectors(sm)
  local own = self:flag "gpgpu_enable_specialized_operand_collector"
  for ours, theirs in next, pools do
    local name = "gpgpu_operand_collector_num_%s_" .. theirs
    local count = self:entry(name:format "units")
    local ports = self:entry(name:format "in_ports")
    if self:number(name:format "out_ports") ~= ports[1] then
      self:bad(name:format "out_ports", "as many as in_ports, " .. ports[1])
    end
    if ours ~= "generic" and not own[1] then count = { 0, own[2] } end
    sm[ours .. "_collectors"], sm[ours .. "_ports"] = count, ports
  end
end

-- ID_OC, OC_EX and EX_WB: 7 numbers before units of version 4, then 11 or 13.
function Reader:widths(sm)
  local list, source = self:list("gpgpu_pipeline_widths", ",", 7)
  local old = #list < 11
  local kinds = old and { "sp", "sfu", "ldst" } or
                { "sp", "dp", "int", "sfu", "ldst" }
  local n = #kinds
  for i, kind in ipairs(kinds) do
    if list[i] ~= list[n + i] then
      self:bad("gpgpu_pipeline_widths", "the same before and behind the " ..
               "collectors")
    end
    if list[i] > 0 then sm[kind .. "_latches"] = { list[i], source } end
  end
  if list[12] and list[12] > 0 then
    sm.tensor_latches = { list[12], source }
  end
  sm.result_bus_width = { list[2 * n + 1], source }
  return old
end

local schedulers = { gto = "gto", lrr = "lrr" }

function Reader:core(d)
  local sm, gpu, ldst = d.sm, d.gpu, d.ldst
  local pipeline, source = self:list("gpgpu_shader_core_pipeline", ":", 2)
  if pipeline[2] ~= 32 then
    self:bad("gpgpu_shader_core_pipeline", "warps of 32 threads")
  end
  gpu.sm_threads = { pipeline[1], source }
  gpu.sm_registers = self:entry "gpgpu_shader_registers"
  gpu.sm_shared_bytes = self:entry "gpgpu_shmem_size"
  gpu.sm_ctas = self:entry "gpgpu_shader_cta"
  gpu.spread_ctas = { true, "GPGPU-Sim: an even share of a small grid" }
  sm.schedulers = self:entry "gpgpu_num_sched_per_core"
  sm.issue_per_scheduler = self:entry "gpgpu_max_insn_issue_per_warp"
  if sm.issue_per_scheduler[1] > 1 then
    sm.branch_seen_at_issue = { true, "GPGPU-Sim: scheduler_unit::cycle" }
  end
  sm.dual_issue_different_units = self:flag "gpgpu_dual_issue_diff_exec_units"
  sm.sub_core = self:flag "gpgpu_sub_core_model"
  for ours, theirs in next, { sp = "sp", dp = "dp", int = "int", sfu = "sfu",
                              tensor = "tensor_core", ldst = "mem" } do
    sm[ours .. "_units"] = self:entry(("gpgpu_num_%s_units"):format(theirs))
  end
  sm.fetch_width = self:entry "gpgpu_inst_fetch_throughput"
  sm.fetch_cycles = { sm.fetch_width[1] > 1 and 1 or 2, sm.fetch_width[2] }
  sm.fetch_fall_through = { true, "GPGPU-Sim: set_next_pc() at issue" }
  sm.register_banks = self:entry "gpgpu_num_reg_banks"
  sm.register_ports = self:entry "gpgpu_reg_file_port_throughput"
  sm.load_writebacks = { 1, "GPGPU-Sim: ldst_unit::writeback()" }
  sm.flush_l1 = self:flag "gpgpu_flush_l1_cache"
  sm.every_atomic_waits = { true, "GPGPU-Sim: shd_warp_t::waiting" }
  self:latencies(sm)
  self:collectors(sm)
  self:widths(sm)
  ldst.shared_latency = self:entry("gpgpu_smem_latency", function(n)
    return math.max(n, 1)
  end)
  ldst.shared_banks = self:entry "gpgpu_shmem_num_banks"
  ldst.bypass_writeback = { true, "GPGPU-Sim: five clients take turns" }
  ldst.dispatch_latch = { true, "GPGPU-Sim: m_dispatch_reg" }
  ldst.global_around = self:flag "gpgpu_gmem_skip_L1D"
  ldst.local_map = self:entry("gpgpu_local_mem_map", function(n)
    return n == 0 and "grid" or "slots"
  end)
  local name, from = self:text "gpgpu_scheduler"
  if not schedulers[name] then
    self:bad("gpgpu_scheduler", "gto or lrr; others are set as `sm = { " ..
             "scheduler = .. }`")
  end
  d.slots.scheduler = { schedulers[name] or "gto", from }
  local arch, coalesce = self:number "gpgpu_coalesce_arch"
  d.slots.coalesce = { arch >= 40 and "sector_coalesce" or
    { "fermi_coalesce", around_bytes = 32 }, coalesce }
end

------------------------------------------------------------------------------
-- Memory

local keys = { "nbk", "CCD", "RRD", "RCD", "RAS", "RP", "RC", "CL", "WL",
               "CDLR", "WR", "nbkgrp", "CCDL", "RTPL" }
local ours_of = { nbk = "banks", CCD = "tccd", RRD = "trrd", RCD = "trcd",
                  RAS = "tras", RP = "trp", RC = "trc", CL = "cl", WL = "wl",
                  CDLR = "tcdlr", WR = "twr", nbkgrp = "bank_groups",
                  CCDL = "tccdl", RTPL = "trtpl" }

-- "nbk=16:CCD=2:.." in any order, or the numbers in a fixed one.
function Reader:timing(dram)
  local text, source = self:text "gpgpu_dram_timing_opt"
  local i = 0
  for word in (text .. ":"):gmatch "%s*(.-)%s*:" do
    i = i + 1
    local key, value = word:match "^(%a+)=(%d+)$"
    if not key then key, value = keys[i], word:match "^(%d+)$" end
    if not value or not ours_of[key] then
      self:bad("gpgpu_dram_timing_opt", ("%s as numbers or as name=number")
               :format(table.concat(keys, ":")))
      return
    end
    dram[ours_of[key]] = { math.tointeger(tonumber(value)), source }
  end
end

local function bits_of(mask, letters)
  local out = {}
  for bit = 0, #mask - 1 do
    if letters:find(mask:sub(-bit - 1, -bit - 1), 1, true) then
      out[#out + 1] = bit
    end
  end
  return out
end

local hashes = { [0] = "none", "xor", "ipoly", nil, "random" }

function Reader:map(d, slices)
  local text, source = self:text "gpgpu_mem_addr_mapping"
  local channel_bit, mask = (text or ""):match "^dramid@(%d+);([%u0.|]+)$"
  mask = mask and mask:gsub("[.|]", "")
  if not mask or mask:find "[^0BRCS]" then
    if text then
      self:bad("gpgpu_mem_addr_mapping", "dramid@N; and letters 0 B R C S")
    else
      session.problem("gpgpusim", "there is no -gpgpu_mem_addr_mapping", {
        file = "gpgpusim.config", line = 1 })
    end
    return
  end
  local banks, hash = bits_of(mask, "B"),
                      self:number "gpgpu_memory_partition_indexing"
  if not hashes[hash] then
    self:bad("gpgpu_memory_partition_indexing", "0, 1, 2 or 4")
  end
  local slice = {}
  for i = 1, 8 do
    if 1 << (i - 1) < slices then slice[i] = banks[i] end
  end
  d.slots.map = { { "gpgpusim_map", channel_bit = tonumber(channel_bit),
    slice_bits = slice, bank_bits = banks, row_bits = bits_of(mask, "R"),
    column_bits = bits_of(mask, "C"), hash = hashes[hash] }, source }
end

function Reader:memory(d)
  local dram, path = d.dram, d.path
  self:timing(dram)
  local width, source = self:number "gpgpu_dram_buswidth"
  dram.bus_bytes = { width * self:number "gpgpu_n_mem_per_ctrlr", source }
  dram.burst_length = self:entry "gpgpu_dram_burst_length"
  dram.data_rate = self:entry "dram_data_command_freq_ratio"
  dram.dual_bus = self:flag "dram_dual_bus_interface"
  dram.group_bits = self:entry("dram_bnkgrp_indexing_policy", function(n)
    return n == 0 and "high" or "low"
  end)
  dram.latency = { 3, "GPGPU-Sim: request, read and return queues" }
  -- 0 is without bound there; here the most that there is.
  dram.queue_entries = self:entry("gpgpu_frfcfs_dram_sched_queue_size",
    function(n) return n == 0 and 64 or n end)
  dram.return_entries = self:entry("gpgpu_dram_return_queue_size",
    function(n) return n == 0 and 1024 or n end)
  d.slots.schedule = self:entry("gpgpu_dram_scheduler", function(n)
    return n == 0 and "fcfs" or "bank_slots"
  end)
  path.rop = self:entry "gpgpu_l2_rop_latency"
  path.dram_latency = self:entry "dram_latency"
  local queues, from = self:list("gpgpu_dram_partition_queues", ":", 4)
  for i, name in ipairs { "icnt_l2", "l2_dram", "dram_l2", "l2_icnt" } do
    path[name] = { math.max(queues[i], 2), from }
  end
end

------------------------------------------------------------------------------
-- Network, clocks, shape

local function from_network(network, key, default)
  local entry = network[key]
  if not entry then return default, "GPGPU-Sim's default of icnt " .. key end
  return math.tointeger(tonumber(entry[1])) or entry[1],
         ("%s:%d %s = %s"):format(entry.file, entry.line, key, entry[1])
end

function Reader:noc(d, network)
  local noc = d.noc
  if self:number "network_mode" == 2 then
    local _, source = self:text "network_mode"
    noc.flit_bytes, noc.latency = { 256, source }, { 1, source }
    noc.input_buffer_flits = self:entry "icnt_in_buffer_limit"
    noc.output_buffer_flits = self:entry "icnt_out_buffer_limit"
    return
  end
  for key, wanted in next, { topology = "fly", n = 1 } do
    local value, source = from_network(network, key, wanted)
    if value ~= wanted then
      session.problem("gpgpusim", ("%s is %s, expected %s: one switch")
        :format(source, value, wanted), network[key])
    end
  end
  local buffer, from = from_network(network, "vc_buf_size", 8)
  local function sized(key)
    local value, source = from_network(network, key, 0)
    return value ~= 0 and { value, source } or { buffer, from }
  end
  noc.flit_bytes = { from_network(network, "flit_size",
                                  (self:number "icnt_flit_size")) }
  noc.input_buffer_flits = sized "input_buffer_size"
  noc.output_buffer_flits = sized "ejection_buffer_size"
  -- A packet alone: tests/validate/reference/noc_zero_load.csv, xbar27_*; and
  -- the boundary buffer between BookSim and GPGPU-Sim. What else a speed-up
  -- gains, BookSim's one virtual channel, allocated anew for each packet, takes
  -- back: with internal_speedup 2 and packet_gap 1 the calibration's cycles on
  -- the GTX 480 are off by 1.1 %, with 1 and 0 by 1.0 %.
  local speedup = tonumber((from_network(network, "internal_speedup", 1))) or 1
  local cycles = speedup > 1 and 4 or 5
  for _, key in ipairs { "routing_delay", "vc_alloc_delay",
                         "sw_alloc_delay" } do
    cycles = cycles + from_network(network, key, key == "routing_delay" and 0
                                                  or 1)
  end
  noc.latency = { cycles, "icnt routing_delay + vc_alloc_delay + " ..
                          "sw_alloc_delay, channels, buffers" }
end

function Reader:clocks(d)
  local text, source = self:text "gpgpu_clock_domains"
  local mhz = {}
  for word in (text .. ":"):gmatch "(.-):" do
    if tonumber(word) and tonumber(word) > 0 then
      mhz[#mhz + 1] = ("%sMHz"):format((word:gsub("%.0+$", "")))
    end
  end
  if #mhz ~= 4 or not unit.number(mhz[1], "Hz") then
    self:bad("gpgpu_clock_domains", "core:network:L2:DRAM in MHz")
    mhz = { "1GHz", "1GHz", "1GHz", "1GHz" }
  end
  d.clock.core, d.clock.dram = { mhz[1], source }, { mhz[4], source }
  if mhz[2] ~= mhz[1] then d.clock.noc = { mhz[2], source } end
  if mhz[3] ~= mhz[1] then d.clock.l2 = { mhz[3], source } end
end

-- The description of the options and network keys that a file gives.
function M.describe(given, network)
  local r = setmetatable({ given = given }, Reader)
  local d = {}
  for _, part in ipairs { "clock", "shape", "slots", "gpu", "sm", "ldst",
                          "noc", "path", "dram" } do
    d[part] = {}
  end
  local clusters, source = r:number "gpgpu_n_clusters"
  d.shape.sms = { clusters * r:number "gpgpu_n_cores_per_cluster", source }
  d.shape.channels = r:entry "gpgpu_n_mem"
  d.shape.slices = r:entry "gpgpu_n_sub_partition_per_mchannel"
  for _, key in ipairs { "sms", "channels", "slices" } do
    if d.shape[key][1] < 1 then
      session.problem("gpgpusim", ("there are no %s"):format(key),
                      { file = d.shape[key][2], line = 0 })
    end
  end
  r:clocks(d)
  r:core(d)
  r:l1d(d)
  r:other_caches(d)
  r:memory(d)
  r:map(d, d.shape.slices[1])
  r:noc(d, network)
  d.path.inject = { 8, "ours" }
  d.path.response = { 4, "GPGPU-Sim: two response FIFOs, the fill, and a " ..
                         "cycle until the write-back finds it" }
  local eject, from = r:number "gpgpu_n_cluster_ejection_buffer_size"
  d.path.eject = { eject + r:number "gpgpu_n_ldst_response_buffer_size", from }
  return d
end

return M
