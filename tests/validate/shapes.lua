-- Machines for micro-kernels: small and large ones, with changed parameters
-- and links that all differ, so that a formula is tested and not a number.
--
-- The instruction cache of the GTX 480 holds all of a kernel here; its own is
-- smaller than 256 loads without a loop.  Its warps do not wait for atomics
-- that nobody reads: their throughput is asked for, not their latency.
--
-- Schedulers take their warps in turn (lrr): with gto the older warps are done
-- first, and the rest cannot fill the units.  Buffers of the network hold
-- several packets: one that holds less than two halves the rate.
local loom = require "warploom"

local M = {}

-- A complete machine; `p` overrides, `wires` are latencies of its links.
local function build(p)
  local wires = p.wires or {}
  local sm = loom.sm { scheduler = loom.lrr {} }
  sm.ldst = loom.ldst { coalesce = p.coalesce or loom.fermi_coalesce {} }
  sm.l1d = loom.cache { size_bytes = "4KiB", ways = 2, level = "l1" }
  local gpu = loom.gpu { clock = "1GHz" }
  gpu.sm = loom.list(p.sms or 1, sm)
  gpu.noc = loom.crossbar { slices_per_channel = 1, flit_bytes = 32,
                            input_buffer_flits = 64,
                            output_buffer_flits = 64,
                            map = loom.linear_map { banks = 16 } }
  gpu.l2 = loom.list(1, loom.cache {
    size_bytes = "128KiB", ways = 4, level = "l2",
    write_policy = "write_back" })
  gpu.dram = loom.list(1, loom.dram {
    channels = 1, slices_per_channel = 1, clock = p.dram_clock or "1GHz",
    map = loom.linear_map { banks = 16 } })
  local function wire(name)
    local w = wires[name] or { 1, 1 }
    return { request = { latency = w[1], capacity = w[1] + 17 },
             reply = { latency = w[2], capacity = w[2] + 17 } }
  end
  for i = 0, (p.sms or 1) - 1 do
    local one = gpu.sm[i]
    loom.link(gpu, one.gpu, wire "cta")
    loom.link(one, one.ldst.sm, wire "warp")
    loom.link(one.ldst.l1, one.l1d.up, wire "access")
    loom.link(one.l1d.down, gpu.noc.up[i], wire "inject")
  end
  loom.link(gpu.noc.down[0], gpu.l2[0].up, wire "slice")
  loom.link(gpu.l2[0].down, gpu.dram[0].up[0], wire "channel")
  gpu:set(p.set or {})
  if p.sm then gpu:each "sm[*]":set(p.sm) end
  return gpu
end
M.build = build

-- Every machine is a function of how many SMs it has.
M.list = {
  { name = "small", make = function(p) return build(p) end },
  { name = "small, slow parts", make = function(p)
    p.wires = { warp = { 2, 3 }, access = { 3, 2 }, inject = { 5, 4 },
                slice = { 11, 7 }, channel = { 13, 17 } }
    p.sm = { int_add_latency = 7, fp_mad_latency = 9, sfu_latency = 21,
             sfu_interval = 5, int_add_interval = 2, pipeline_cycles = 3,
             memory_cycles = 2, shuffle_interval = 3,
             ldst = { shared_latency = 31, shared_banks = 16,
                      const_latency = 13 },
             l1d = { hit_latency = 23, data_port_bytes = 32 } }
    p.set = { noc = { latency = 9, flit_bytes = 16, packet_gap = 1 },
              l2 = { hit_latency = 19, data_port_bytes = 64 },
              dram = { cl = 17, trcd = 15, trp = 19, tras = 20, trc = 60,
                       bank_groups = 1, tccd = 4, latency = 6 } }
    return build(p)
  end },
  { name = "small, wide parts", make = function(p)
    p.dram_clock = "1250MHz"
    p.coalesce = loom.sector_coalesce {}
    p.sm = { schedulers = 4, sp_units = 4, sfu_units = 4, dp_units = 2,
             int_units = 2, dp_add_interval = 4, fp_div_interval = 5,
             ldst = { accesses_per_cycle = 1, shared_banks = 64 },
             l1d = { hit_latency = 11, ways = 8, sector_bytes = 32 } }
    p.set = { noc = { latency = 2, flit_bytes = 256, input_speedup = 2 },
              l2 = { ways = 8, size_bytes = "256KiB", data_port_bytes = 128 },
              dram = { bus_bytes = 16, burst_length = 8, tccd = 2,
                       bank_groups = 1 } }
    return build(p)
  end },
  { name = "small, register banks", make = function(p)
    p.sm = { register_banks = 32, ldst_collectors = 8,
             l1d = { hit_latency = 5 } }
    return build(p)
  end },
  { name = "gtx480", make = function(p)
    return loom.preset.gtx480 { sm_count = p.sms or 1,
                                  sm = { scheduler = loom.lrr {},
                                         every_atomic_waits = false,
                                         l0i_sets = 64 } }
  end },
  { name = "gtx480, changed", make = function(p)
    return loom.preset.gtx480 {
      sm_count = p.sms or 1,
      sm = { scheduler = loom.lrr {}, l0i_sets = 64,
             every_atomic_waits = false,
             ldst = { shared_latency = 19, const_latency = 5 },
             int_mad_latency = 11, fp_add_interval = 2, sp_units = 1,
             l1d = { hit_latency = 51, size_bytes = "32KiB", ways = 8 } },
      noc = { latency = 12, flit_bytes = 24 },
      l2 = { hit_latency = 30 }, dram = { cl = 31, tccdl = 2 } }
  end },
}

return M
