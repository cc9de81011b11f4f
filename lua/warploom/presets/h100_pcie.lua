-- h100_pcie: an H100 PCIe class GPU: an h100 with fewer SMs, a lower clock and
-- HBM2e.  "published" is its row of durations, docs/silicon.md: of empty
-- kernels, never of a benchmark.

local timing = "as h100, in nanoseconds"
local pseudo = "Ramulator, HBM2: 64 bits, 16 banks; each is a channel here"
local single = "gpu-benches, gpu-stream: writes at 99 % of the peak, where " ..
               "refreshes of all banks would leave 93; HBM can refresh one"
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
    slots = {
      map = { { "gpgpusim_map", channel_bit = 8, slice_bits = {},
                hash = "rotate", bank_bits = { 12, 13, 14, 15 },
                row_bits = { 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27 },
                column_bits = { 6, 7, 8, 9, 10, 11 } },
              "as h100, of one pseudo channel" },
    },
    shape = { sms = { 114, "whitepaper: 114 SMs of the PCIe card" } },
    gpu = {
      cta_cycles = { 1.15, published .. " to 512 threads" },
      launch_cycles = { 1630, published .. ", 1.15 us in all" },
      argument_cycles = { 350, published .. " and FFMAs: one of FFMAs, of " ..
                          "2 and 3 CTAs and no iterations, takes 0.2 us " ..
                          "longer" },
    },
    dram = {
      pseudo_channels = { 1, pseudo }, banks = { 16, pseudo },
      bank_groups = { 4, pseudo }, bus_bytes = { 8, pseudo },
      queue_entries = { 64, "as a100, of each pseudo channel" },
      burst_length = { 4, pseudo .. ": 32 bytes" },
      tccd = { 2, "a burst of 4 at two per cycle" },
      tccdl = { 2, timing }, trrd = { 6, timing }, trcd = { 23, timing },
      tras = { 53, timing }, trp = { 23, timing }, trc = { 76, timing },
      cl = { 23, timing }, wl = { 4, timing }, tcdlr = { 6, timing },
      twr = { 19, timing }, trtpl = { 6, timing },
      refresh = { "bank", single }, refresh_groups = false, trfc = false,
      trefi = { 6213, "JESD235: 3.9 us" },
      trfcb = { 255, "Ramulator, HBM2: nRFCSB, 160 ns" },
      trrefd = { 13, "Ramulator, HBM2: nRREFD, 8 ns" },
    },
    path = { dram = { 215, timing } },
  },
}
