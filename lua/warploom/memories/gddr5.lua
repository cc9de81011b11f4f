-- gddr5: one 8 Gb x32 device at 6 Gb/s per pin.
--
-- "DRAMsim3" is umd-memsys/DRAMsim3 29817593, configs/GDDR5_8Gb_x32.ini,
-- whose numbers are JESD212's for a clock of 1.5 GHz; its bank groups are on.

local d3 = "DRAMsim3"

return {
  name = "gddr5",
  doc = "GDDR5, 8 Gb x32, 6 Gb/s: 24 GB/s",
  clock = { "1500MHz", d3 .. ": tCK 0.667 ns" },
  dram = {
    banks = { 16, d3 }, bank_groups = { 4, d3 },
    bus_bytes = { 4, d3 .. ": device_width 32" },
    burst_length = { 8, d3 .. ": BL" },
    data_rate = { 4, "6 Gb/s with a CK of 1.5 GHz" },
    tccd = { 2, d3 .. ": tCCD_S" }, tccdl = { 3, d3 .. ": tCCD_L" },
    trrd = { 10, d3 .. ": tRRD_S" }, trrdl = { 10, d3 .. ": tRRD_L" },
    trcd = { 24, d3 .. ": tRCDRD" }, trcdwr = { 20, d3 .. ": tRCDWR" },
    tras = { 56, d3 }, trp = { 24, d3 }, trc = { 80, d3 .. ": tRAS + tRP" },
    cl = { 24, d3 }, wl = { 7, d3 .. ": CWL" },
    tcdlr = { 10, d3 .. ": tWTR_S" }, tcdlrl = { 10, d3 .. ": tWTR_L" },
    twr = { 24, d3 },
    trtp = { 5, d3 .. ": its default, the file's tRTP_L and _S are not read" },
    trtpl = { 0, d3 .. ": tRTP is of a bank" },
    trtrs = { 1, d3 }, tppd = { 5, d3 },
    tfaw = { 40, d3 }, t32aw = { 360, d3 },
    trefi = { 3800, d3 }, trfc = { 74, d3 },
    refresh = { "all", d3 .. ": all banks; in JESD212: unchecked" },
    dual_bus = { false, d3 .. ": a command in a cycle" },
  },
}
