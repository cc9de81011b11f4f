-- loscache: the baseline of LoSCache (section IV of the paper), on GPGPU-Sim
-- 3.2.2: what the text does not say is that version's GTX 480.

local l2 = "paper: 768 KB, 16 ways, 6 banks of 128 KB"

return {
  name = "loscache",
  doc = "LoSCache's baseline: a GTX 480 with six L2 banks of 128 KB",
  extends = "gtx480_v322",
  machine = {
    shape = { slices = { 1, l2 } },
    slots = {
      scheduler = { "gto", "paper: greedy, then oldest" },
      map = { { "gpgpusim_map", channel_bit = 8, slice_bits = {},
                bank_bits = { 12, 13, 14, 15 },
                row_bits = { 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27 },
                column_bits = { 6, 7, 8, 9, 10, 11 } },
              "3.2.1, which has a slice per channel: BBBBCCCC CCSSSSSS" },
    },
    l2 = { size_bytes = { "128KiB", l2 }, ways = { 16, l2 } },
    dram = { queue_entries = { 16, "paper: a 16-entry queue" } },
  },
}
