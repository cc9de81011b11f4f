-- Three small machines and six kernels; every statistic is compared with
-- what is checked in.  With `recording` it is a replay; that is done with the
-- micro-kernels, too.
--
--   dev      two SMs of the GTX 480, a quarter of its memory
--   nol1     SMs without an L1: the load/store unit sends to the network
--   lone     one SM, its L1 and a DRAM channel, no network and no L2
local loom = require "warploom"

local machine = loom.option { name = "machine", default = "dev",
                              choices = { "dev", "nol1", "lone" },
                              doc = "Which machine" }
local kernel = loom.option { name = "kernel", default = "vectoradd",
                             choices = { "atax", "bfs", "bicg", "gemm",
                                         "reduction", "vectoradd",
                                         "micro_alu", "micro_atomic",
                                         "micro_chase", "micro_const",
                                         "micro_shared", "micro_stream",
                                         "micro_stride", "micro_ways" },
                             doc = "Which workload" }
local recording = loom.option { name = "recording", default = "",
                                doc = "Replay this" }

local sizes = {
  atax = { rows = 128, columns = 24 },
  bfs = { nodes = 300, degree = 3 },
  bicg = { rows = 96, columns = 40 },
  gemm = { n = 32, m = 48, k = 32 },
  reduction = { n = 3000, ctas = 6 },
  vectoradd = { n = 2000 },
}

local function memory(gpu)
  gpu.dram = loom.list(1, loom.dram {
    clock = "924MHz", channels = 1, slices_per_channel = 1,
    map = loom.gpgpusim_map { slice_bits = {} } })
end

local function core(gpu, i, with_l1)
  local sm = gpu.sm[i]
  loom.link(gpu, sm.gpu, { latency = 1, capacity = 4 })
  loom.link(sm, sm.ldst.sm, { latency = 1, capacity = 2 })
  if with_l1 then
    loom.link(sm.ldst.l1, sm.l1d.up, { latency = 1, capacity = 2 })
  end
end

local machines = {}

function machines.dev()
  return loom.preset.gtx480 { sm_count = 2, sm = { scheduler = loom.lrr {} } }
end

function machines.nol1()
  local sm = loom.sm { flush_l1 = false }
  sm.ldst = loom.ldst { flushes_l1 = false }
  local gpu = loom.gpu { clock = "700MHz" }
  gpu.sm = loom.list(2, sm)
  gpu.noc = loom.crossbar { slices_per_channel = 1,
                            map = loom.gpgpusim_map { slice_bits = {} } }
  gpu.l2 = loom.list(1, loom.cache {
    size_bytes = "16KiB", ways = 8, level = "l2", write_policy = "write_back",
    set_index = loom.xor_index {}, replacement = loom.fifo {} })
  memory(gpu)
  for i = 0, 1 do
    core(gpu, i, false)
    loom.link(gpu.sm[i].ldst.l1, gpu.noc.up[i], { latency = 1, capacity = 4 })
  end
  loom.link(gpu.noc.down[0], gpu.l2[0].up, { latency = 20, capacity = 32 })
  loom.link(gpu.l2[0].down, gpu.dram[0].up[0], { latency = 30,
                                                 capacity = 64 })
  return gpu
end

function machines.lone()
  local sm = loom.sm { warps = 48 }
  sm.ldst = loom.ldst {}
  sm.l1d = loom.cache { size_bytes = "4KiB", ways = 4, hit_latency = 8,
                        mshr_entries = 8, mshr_merges = 4,
                        allocate = "on_fill" }
  local gpu = loom.gpu { clock = "700MHz" }
  gpu.sm = loom.list(1, sm)
  memory(gpu)
  gpu.dram[0].schedule = loom.fcfs {}
  core(gpu, 0, true)
  loom.link(gpu.sm[0].l1d.down, gpu.dram[0].up[0], { latency = 10,
                                                     capacity = 16 })
  return gpu
end

loom.run {
  machine = machines[machine](),
  workload = recording ~= "" and loom.replay(recording) or
             loom.suite[kernel](sizes[kernel] or {}),
  stats = { file = "golden.h5" },
}
