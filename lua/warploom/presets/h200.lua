-- h200: an H200 SXM class GPU from public figures: an h100 with six stacks of
-- HBM3e.  "datasheet" is NVIDIA H200 Tensor Core GPU, 2024; "gpu-benches"
-- gpu-latency/gh200.txt of github.com/xxrjun/gpu-benches: the same chip beside
-- a Grace, with HBM3.

return {
  name = "h200",
  doc = "H200 SXM class GPU from public figures",
  extends = "h100",
  machine = {
    clock = {
      dram = { "3125MHz", "datasheet: 4.8 TB/s, 50 GB/s per channel" },
    },
    shape = {
      channels = { 96, "datasheet: 141 GB, six stacks of 16 channels" },
    },
    dram = {
      trefi = { 12187, "JESD238: 3.9 us" },
      trfc = { 812, "as HBM2: DRAMsim3, HBM2_8Gb_x128: 260 ns" },
    },
    l1d = {
      hit_latency = { 25, "gpu-benches, gh200: 32.2 in all" },
    },
    path = {
      rop = { 242, "gpu-benches, gh200: 280 in all" },
      dram = { 287, "gpu-benches, gh200: 621 at 1980 MHz" },
    },
    l2 = {
      size_bytes = { "544KiB", "50 MB over 96 channels, to whole ways" },
      ways = { 17, "ours: 256 sets" },
    },
  },
}
