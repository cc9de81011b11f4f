-- hbm2_pseudo: the channel of hbm2 as two pseudo channels of 64 bits, each
-- with 16 banks; they share the command buses.
--
-- "Ramulator" is CMU-SAFARI/ramulator2, src/dram/impl/HBM2.cpp; JESD235B was
-- not at hand.

return {
  name = "hbm2_pseudo",
  doc = "HBM2 in pseudo channel mode: twice 64 bits, 32 GB/s",
  extends = "hbm2",
  dram = {
    pseudo_channels = { 2, "Ramulator: 2 pseudo channels" },
    banks = { 32, "Ramulator: 4 x 4 of each pseudo channel" },
    bank_groups = { 8, "Ramulator: 4 of each pseudo channel" },
    group_bits = { "low", "neighbouring bank numbers in other groups" },
    bus_bytes = { 8, "half of hbm2" },
    burst_length = { 4, "JESD235B: 32 bytes; unchecked" },
  },
}
