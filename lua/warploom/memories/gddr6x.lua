-- gddr6x: one 16-bit channel of an 8 Gb device at 19.5 Gb/s per pin.
--
-- Four levels (PAM4) carry two bits in a symbol; here a bit is a transfer, and
-- CK is what it would be with GDDR6's eight bits.  "Micron" are its "Doubling
-- I/O performance with PAM4" (2020) and the product brief of MT61K256M32
-- GDDR6X, quoted from memory; "GA102" NVIDIA's whitepaper of it.  Micron's
-- timings are not public: core timings are gddr6's in nanoseconds, since the
-- arrays are said to be the same.

local micron = "Micron; unchecked"
local timing = "gddr6, in nanoseconds"

return {
  name = "gddr6x",
  doc = "GDDR6X, 16-bit channel, 19.5 Gb/s: 39 GB/s",
  extends = "gddr6",
  clock = { "2437.5MHz", "GA102: 19.5 Gb/s; 8 transfers per CK as gddr6" },
  dram = {
    bus_bytes = { 2, micron .. ": two channels of 16 bits" },
    burst_length = { 16, micron .. ": 8 symbols of 2 bits, 32 bytes" },
    data_rate = { 8, "as gddr6" },
    tccd = { 2, "16 transfers at 8 per CK" },
    tccdl = { 4, timing },
    trrd = { 10, timing }, trrdl = { 10, timing },
    trcd = { 36, timing }, trcdwr = { 22, timing },
    tras = { 74, timing }, trp = { 36, timing }, trc = { 110, timing },
    cl = { 33, timing }, wl = { 8, timing },
    tcdlr = { 13, timing }, tcdlrl = { 15, timing },
    twr = { 36, timing }, trtp = { 6, timing },
    trtrs = { 6, timing }, tfaw = { 40, timing },
    trefi = { 4643, timing }, trfc = { 293, timing },
    trfcb = { 146, timing }, trrefd = { 20, timing },
  },
}
