-- hbm: one 128-bit channel at 1 Gb/s per pin.  What is not here is as in hbm2:
-- DRAMsim3's two configurations agree in it.
--
-- "DRAMsim3" is umd-memsys/DRAMsim3 29817593, configs/HBM1_4Gb_x128.ini;
-- "Ramulator" is CMU-SAFARI/ramulator2, src/dram/impl/HBM2.cpp, whose cycles of
-- a nanosecond are halved here.

local d3, ram = "DRAMsim3", "Ramulator, HBM2"

return {
  name = "hbm",
  doc = "HBM, 128-bit channel, 1 Gb/s: 16 GB/s",
  extends = "hbm2",
  clock = { "500MHz", d3 .. ": tCK 2 ns" },
  dram = {
    tccdl = { 2, d3 .. ": tCCD_L 1, but a burst takes 2" },
    trrd = { 2, d3 .. ": tRRD_S" }, trrdl = { 3, d3 .. ": tRRD_L" },
    trcd = { 7, d3 .. ": tRCDRD" }, trcdwr = { 7, d3 .. ": tRCDWR" },
    tras = { 17, d3 }, trp = { 7, d3 }, trc = { 24, d3 .. ": tRAS + tRP" },
    cl = { 7, d3 }, wl = { 2, d3 .. ": CWL" },
    tcdlr = { 3, d3 .. ": tWTR_S" }, tcdlrl = { 4, d3 .. ": tWTR_L" },
    twr = { 8, d3 }, tfaw = { 15, d3 },
    trefi = { 1950, d3 }, trfc = { 130, d3 },
    trfcb = { 80, ram .. ": nRFCSB 160 ns" }, trrefd = { 4, ram .. ": 8 ns" },
  },
}
