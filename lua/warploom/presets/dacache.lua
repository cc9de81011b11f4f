-- dacache: the baseline of DaCache (Wang et al., ICS 2015, table 2), on
-- GPGPU-Sim 3.2.1.  "table" is that table; "v321" fills what it leaves open.
-- Its "constant 24-way, texture 2-way" are swapped; its 1,024 threads do not
-- agree with the 48 warps of the text, which are taken.  SMs of 16 lanes at
-- 1400 MHz are GPGPU-Sim's of 32 at 700 MHz; the network has the table's one
-- clock with them.

return {
  name = "dacache",
  doc = "DaCache's baseline: 30 SMs, 32 KB L1 of 8 ways",
  extends = "gtx480_v322",
  machine = {
    shape = {
      sms = { 30, "table: 15 clusters of 2" },
      cluster = { 2, "table: 15 clusters of 2" },
      slices = { 1, "v321: an L2 slice per channel" },
    },
    slots = {
      l1d_index = { "fermi_index", "table: pseudo-random hashing function" },
      map = { { "gpgpusim_map", channel_bit = 8, slice_bits = {},
                bank_bits = { 12, 13, 14, 15 },
                row_bits = { 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27 },
                column_bits = { 6, 7, 8, 9, 10, 11 } },
              "v321: RRRRRRRR BBBBCCCC CCSSSSSS" },
    },
    l1d = {
      size_bytes = { "32KiB", "table: 32 KB, 128 B lines, 8 ways" },
      ways = { 8, "table: 32 KB, 128 B lines, 8 ways" },
    },
    noc = {
      latency = { 4, "v321: icnt vc_alloc_delay 0, else as v322: 6, two of " ..
                     "them at the cluster's port" },
    },
    l2 = {
      size_bytes = { "128KiB", "table: 768 KB, 16 ways, 6 partitions" },
      ways = { 16, "table: 768 KB, 16 ways, 6 partitions" },
    },
    dram = {
      queue_entries = { 32, "table: request queue of 32" },
      return_entries = { 16, "v321: -gpgpu_dram_return_queue_size" },
    },
  },
}
