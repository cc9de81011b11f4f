-- gddr6: one 16-bit channel of an 8 Gb device at 14 Gb/s per pin.
--
-- "Ramulator" is CMU-SAFARI/ramulator2, src/dram/impl/GDDR6.cpp, preset
-- GDDR6_2000_1350mV_double (tCK 0.57 ns).

local ram = "Ramulator"

return {
  name = "gddr6",
  doc = "GDDR6, 16-bit channel, 14 Gb/s: 28 GB/s",
  clock = { "1750MHz", "14 Gb/s at 8 transfers per CK" },
  dram = {
    banks = { 16, ram }, bank_groups = { 4, ram },
    bus_bytes = { 2, "JESD250: 16 bits per channel" },
    burst_length = { 16, "JESD250: BL16" },
    data_rate = { 8, "JESD250: WCK is 2 CK in quad rate, or 4 in double" },
    tccd = { 2, "JESD250: a burst of 16 takes 2 CK" },
    tccdl = { 3, "JESD250: tCCDL, 3 CK" },
    trrd = { 7, ram .. ": nRRDS" }, trrdl = { 7, ram .. ": nRRDL" },
    trcd = { 26, ram .. ": nRCDRD" }, trcdwr = { 16, ram .. ": nRCDWR" },
    tras = { 53, ram }, trp = { 26, ram }, trc = { 79, ram },
    cl = { 24, ram }, wl = { 6, ram .. ": nCWL" },
    tcdlr = { 9, ram .. ": nWTRS" }, tcdlrl = { 11, ram .. ": nWTRL" },
    twr = { 26, ram }, trtp = { 4, ram },
    trtpl = { 0, "JESD250: tRTP is of a bank" },
    trtrs = { 4, ram .. ": read to write is CL + burst + 4 - CWL" },
    tfaw = { 28, ram },
    trefi = { 3333, ram }, trfc = { 210, ram },
    trfcb = { 105, ram .. ": nRFCpb" }, trrefd = { 14, ram .. ": nRREFD" },
    refresh = { "all", "JESD250 has both; all banks at once is its default" },
    dual_bus = { false, "JESD250: one command bus" },
  },
}
