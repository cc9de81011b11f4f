-- h200: an H200 SXM class GPU: an h100 with six stacks of HBM3e.  "measured"
-- is one H200, docs/silicon.md.

local card = "measured"

return {
  name = "h200",
  doc = "H200 SXM class GPU from public figures and measurements",
  extends = "h100",
  machine = {
    clock = {
      dram = { "3201MHz", card .. ": as the driver says, 4.8 TB/s" },
    },
    shape = {
      channels = { 94, card .. ": 6016 bits, as the driver says; 64 each" },
    },
    gpu = {
      launch_cycles = { 690, card .. ": an empty kernel, 0.54 us in all" },
      launch_gap = { 1740, card .. ": 1.6 us from the last instruction of a " ..
                     "kernel to the first of the next" },
    },
    sm = {
      fence_latency = { 595, card .. ": fence.acq_rel.gpu behind a copy" },
      fence_proxy_latency = { 482, card .. ": fence.proxy.async, likewise" },
      fence_interval = { 385, card .. ": 16 warps, each in every other one" },
    },
    dram = {
      refresh_groups = { 6, card .. ": 6016 bits are of 6 stacks" },
      trefi = { 6242, card .. ": 1.95 us, half of JESD238's 3.9" },
      trfc = { 842, card .. ": 263 ns; who comes meanwhile waits" },
    },
    path = {
      rop = { 243, card .. ": 280 in all where it has been read" },
      dram = { 204, card .. ": 683 in all, the mean of near and far" },
    },
    l2 = {
      size_bytes = { "640KiB", card .. ": 60 MiB, to whole ways" },
      ways = { 20, "ours: 256 sets" },
    },
  },
}
