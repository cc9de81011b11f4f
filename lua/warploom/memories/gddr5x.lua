-- gddr5x: one 8 Gb x32 device at 12 Gb/s per pin.
--
-- "DRAMsim3" is umd-memsys/DRAMsim3 29817593, configs/GDDR5X_8Gb_x32.ini.

local d3 = "DRAMsim3"

return {
  name = "gddr5x",
  doc = "GDDR5X, 8 Gb x32, 12 Gb/s: 48 GB/s",
  extends = "gddr5",
  clock = { "1500MHz", d3 .. ": tCK 0.666 ns" },
  dram = {
    burst_length = { 16, d3 .. ": BL 16" },
    data_rate = { 8, d3 .. ": 12 Gb/s with a CK of 1.5 GHz" },
  },
}
