-- hbm2: one 128-bit channel at 2 Gb/s per pin, legacy mode.
--
-- "DRAMsim3" is umd-memsys/DRAMsim3 29817593, configs/HBM2_8Gb_x128.ini;
-- "Ramulator" is CMU-SAFARI/ramulator2, src/dram/impl/HBM2.cpp.

local d3, ram = "DRAMsim3", "Ramulator"

return {
  name = "hbm2",
  doc = "HBM2, 128-bit channel, 2 Gb/s: 32 GB/s",
  clock = { "1GHz", d3 .. ": tCK 1 ns" },
  dram = {
    banks = { 16, d3 }, bank_groups = { 4, d3 },
    bus_bytes = { 16, d3 .. ": device_width 128" },
    burst_length = { 4, d3 .. ": BL" },
    data_rate = { 2, "JESD235, scope: 128 bits at double data rate" },
    tccd = { 2, d3 .. ": tCCD_S 1, but a burst takes 2" },
    tccdl = { 2, d3 .. ": tCCD_L" },
    trrd = { 4, d3 .. ": tRRD_S" }, trrdl = { 6, d3 .. ": tRRD_L" },
    trcd = { 14, d3 .. ": tRCDRD" }, trcdwr = { 14, d3 .. ": tRCDWR" },
    tras = { 34, d3 }, trp = { 14, d3 }, trc = { 48, d3 .. ": tRAS + tRP" },
    cl = { 14, d3 }, wl = { 4, d3 .. ": CWL" },
    tcdlr = { 6, d3 .. ": tWTR_S" }, tcdlrl = { 8, d3 .. ": tWTR_L" },
    twr = { 16, d3 }, trtp = { 5, d3 .. ": its default" },
    trtpl = { 0, d3 .. ": tRTP is of a bank" },
    trtrs = { 2, d3 .. ": its default" }, tfaw = { 30, d3 },
    trefi = { 3900, d3 }, trfc = { 260, d3 },
    trfcb = { 160, ram .. ": nRFCSB" }, trrefd = { 8, ram .. ": nRREFD" },
    refresh = { "all", d3 .. ": all banks; in JESD235: unchecked" },
    act_cycles = { 2, ram .. ": command_cycles of ACT; JESD235" },
    dual_bus = { true, d3 .. ": a row and a column command in a cycle" },
  },
}
