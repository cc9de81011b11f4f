-- hbm: one 128-bit channel at 1 Gb/s per pin.
--
-- "DRAMsim3" is umd-memsys/DRAMsim3 29817593, configs/HBM1_4Gb_x128.ini;
-- "Ramulator" is CMU-SAFARI/ramulator2, src/dram/impl/HBM2.cpp, whose cycles of
-- a nanosecond are halved here.

local d3, ram = "DRAMsim3", "Ramulator, HBM2"

return {
  name = "hbm",
  doc = "HBM, 128-bit channel, 1 Gb/s: 16 GB/s",
  clock = { "500MHz", d3 .. ": tCK 2 ns" },
  dram = {
    banks = { 16, d3 }, bank_groups = { 4, d3 },
    bus_bytes = { 16, d3 .. ": device_width 128" },
    burst_length = { 4, d3 .. ": BL" },
    data_rate = { 2, "JESD235, scope: 128 bits at double data rate" },
    tccd = { 2, d3 .. ": tCCD_S 1, but a burst takes 2" },
    tccdl = { 2, d3 .. ": tCCD_L 1, but a burst takes 2" },
    trrd = { 2, d3 .. ": tRRD_S" }, trrdl = { 3, d3 .. ": tRRD_L" },
    trcd = { 7, d3 .. ": tRCDRD" }, trcdwr = { 7, d3 .. ": tRCDWR" },
    tras = { 17, d3 }, trp = { 7, d3 }, trc = { 24, d3 .. ": tRAS + tRP" },
    cl = { 7, d3 }, wl = { 2, d3 .. ": CWL" },
    tcdlr = { 3, d3 .. ": tWTR_S" }, tcdlrl = { 4, d3 .. ": tWTR_L" },
    twr = { 8, d3 }, trtp = { 5, d3 .. ": its default" },
    trtpl = { 0, d3 .. ": tRTP is of a bank" },
    trtrs = { 2, d3 .. ": its default" }, tfaw = { 15, d3 },
    trefi = { 1950, d3 }, trfc = { 130, d3 },
    trfcb = { 80, ram .. ": nRFCSB 160 ns" }, trrefd = { 4, ram .. ": 8 ns" },
    refresh = { "all", d3 .. ": all banks; in JESD235: unchecked" },
    dual_bus = { true, d3 .. ": a row and a column command in a cycle" },
  },
}
