-- h100_pcie: an H100 PCIe class GPU: an h100 with fewer SMs, a lower clock and
-- HBM2e.  "published" is its row of durations, docs/silicon.md: of empty
-- kernels, never of a benchmark.

local timing = "as h100, in nanoseconds"
local published = "published: empty kernels"

return {
  name = "h100_pcie",
  doc = "H100 PCIe class GPU from public figures and measurements",
  extends = "h100",
  machine = {
    clock = {
      core = { "1755MHz", "H100 PCIe specification: boost clock" },
      dram = { "1593MHz", "H100 PCIe specification: HBM2e, 2.04 TB/s" },
    },
    shape = { sms = { 114, "whitepaper: 114 SMs of the PCIe card" } },
    gpu = {
      cta_cycles = { 1.15, published .. " to 512 threads" },
      launch_cycles = { 1630, published .. ", 1.15 us in all" },
    },
    l2 = {
      preload = { true, "published: vectoradd of a million moves 12.6 MB " ..
                  "in less time than memory can" },
      preload_most = false, -- so copies of any size
    },
    dram = {
      tccdl = { 2, timing }, trrd = { 6, timing }, trcd = { 23, timing },
      tras = { 53, timing }, trp = { 23, timing }, trc = { 76, timing },
      cl = { 23, timing }, wl = { 4, timing }, tcdlr = { 6, timing },
      twr = { 19, timing }, trtpl = { 6, timing },
      trefi = { 6213, "JESD235: 3.9 us" },
      trfc = { 414, "as HBM2: DRAMsim3, HBM2_8Gb_x128: 260 ns" },
    },
    path = { dram = { 215, timing } },
  },
}
