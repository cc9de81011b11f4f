-- gddr6: one 16-bit channel of an 8 Gb device at 14 Gb/s per pin.
--
-- "Ramulator" is CMU-SAFARI/ramulator2, src/dram/impl/GDDR6.cpp, preset
-- GDDR6_2000_1350mV_double (tCK 0.57 ns); "Micron" are the features of its
-- MT61K256M32 and MT61K512M32 (8 and 16 Gb, briefs of 2018 and 2019).

local ram, micron = "Ramulator", "Micron"

return {
  name = "gddr6",
  doc = "GDDR6, 16-bit channel, 14 Gb/s: 28 GB/s",
  clock = { "1750MHz", "14 Gb/s at 8 transfers per CK" },
  dram = {
    banks = { 16, ram }, bank_groups = { 4, ram },
    bus_bytes = { 2, micron .. ": two channels of 16 bits" },
    burst_length = { 16, micron .. ": 256 bits in an access" },
    data_rate = { 8, micron .. ": 12 Gb/s with a CK of 1.5 GHz" },
    tccd = { 2, "16 transfers at 8 per CK" },
    tccdl = { 3, micron .. ": bank groups for tCCDL of 3 or 4 CK" },
    trrd = { 7, ram .. ": nRRDS" }, trrdl = { 7, ram .. ": nRRDL" },
    trcd = { 26, ram .. ": nRCDRD" }, trcdwr = { 16, ram .. ": nRCDWR" },
    tras = { 53, ram }, trp = { 26, ram }, trc = { 79, ram },
    cl = { 24, ram }, wl = { 6, ram .. ": nCWL" },
    tcdlr = { 9, ram .. ": nWTRS" }, tcdlrl = { 11, ram .. ": nWTRL" },
    twr = { 26, ram }, trtp = { 4, ram },
    trtpl = { 0, ram .. ": nRTP is of a bank" },
    trtrs = { 4, ram .. ": read to write is CL + burst + 4 - CWL" },
    tfaw = { 28, ram },
    trefi = { 3333, ram }, trfc = { 210, ram },
    trfcb = { 105, ram .. ": nRFCpb" }, trrefd = { 14, ram .. ": nRREFD" },
    refresh = { "all", micron .. ": all banks, one or two" },
    dual_bus = { false, ram .. ": a command in a cycle" },
  },
}
