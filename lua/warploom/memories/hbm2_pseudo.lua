-- hbm2_pseudo: the channel of hbm2 as two pseudo channels of 64 bits, each
-- with 16 banks; they share the command buses.

return {
  name = "hbm2_pseudo",
  doc = "HBM2 in pseudo channel mode: twice 64 bits, 32 GB/s",
  extends = "hbm2",
  dram = {
    pseudo_channels = { 2, "JESD235B: pseudo channel mode" },
    banks = { 32, "JESD235B: 16 of each pseudo channel" },
    bank_groups = { 8, "JESD235B: 4 of each pseudo channel" },
    group_bits = { "low", "neighbouring bank numbers in other groups" },
    bus_bytes = { 8, "JESD235B: 64 bits" },
    burst_length = { 4, "JESD235B: BL4, 32 bytes" },
  },
}
