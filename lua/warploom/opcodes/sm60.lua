-- Maxwell and Pascal (5.x, 6.x).
-- See opcodes/common.lua for what an entry says.

local import = ...

return {
  base = import "opcodes/common",
  versions = { 50, 52, 53, 60, 61, 62 },
  opcodes = {
    FMUL2 = "fp_mul", IDP = "int_mad", IDP4A = "int_mad", IDP2A = "int_mad",
    LOP3 = "int_add", STP = "nop", VOTEVTG = "nop", ISBERD = "nop",
    OUT = "nop", PIXLD = "nop", AL2P = "int_add", ALD = "load const",
    AST = "nop", IPA = "sfu", R2UR = "int_add",
  },
}
