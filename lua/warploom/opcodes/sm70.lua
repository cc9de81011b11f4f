-- Volta (7.0): warp-level convergence barriers, tensor cores, the generic
-- atomic splits into ATOM and ATOMG.
-- See opcodes/common.lua for what an entry says.

local import = ...

local M = {
  base = import "opcodes/common",
  versions = { 70, 72 },
  opcodes = {
    ATOMG = "atomic global", IDP = "int_mad",
    IDP4A = "int_mad", SETCTAID = "nop", IMMA = "tensor dests=2",
    HMMA = "tensor dests=4", BMMA = "tensor dests=2",
    PLOP3 = "int_add", I2FP = "int_add", F2FP = "int_add",
    F2IP = "int_add", I2IP = "int_add", F2F = "int_add",
    ["F2F.F64.F32"] = "dp_add dests=2", ["I2F.F64"] = "dp_add dests=2",
    LEPC = "int_add dests=2",
    MATCH = "shuffle", QSPC = "int_add", NANOSLEEP = "nop",
    BMOV = "nop", BREAK = "branch", BSSY = "branch", BSYNC = "branch",
    WARPSYNC = "nop", YIELD = "nop", RPCMOV = "nop", S2UR = "int_add",
    SGXT = "int_add", VHMNMX = "int_max", VIADD = "int_add",
    ["BAR.SYNC.DEFER_BLOCKING"] = "barrier",
    TLD4 = "load texture", CCTL = "nop", GETLMEMBASE = "int_add dests=2",
    JMXU = "branch", BRXU = "branch",
  },
}

return M
