-- Ampere (8.0, 8.6, 8.7): asynchronous copies to shared memory.
-- See opcodes/common.lua for what an entry says.

local import = ...

return {
  base = import "opcodes/sm75",
  versions = { 80, 86, 87 },
  opcodes = {
    LDGSTS = "load global copies dests=1", LDGDEPBAR = "nop groups",
    DEPBAR = "membar waits", ARRIVES = "nop", DMMA = "tensor dests=4",
    ["UIADD3.64"] = "int_add dests=2 sources=2",
    HMNMX2 = "fp_max", REDUX = "shuffle", F2FP = "int_add",
    FMNMX = "fp_max", CCTL = "nop", ["ATOMS.ARRIVE"] = "atomic shared",
    ["DMMA.884"] = "tensor dests=4", UF2FP = "int_add",
    UCGABAR_ARV = "nop", UCGABAR_WAIT = "nop", SYNCS = "nop",
    ACQBULK = "nop", LDTRAM = "load texture", I2FP = "int_add",
  },
}
