-- Kepler (3.5): atomics on shared memory are sequences of locked loads.
-- See opcodes/common.lua for what an entry says.

local import = ...

return {
  base = import "opcodes/common",
  versions = { 35, 37 },
  opcodes = {
    LDSLK = "load shared", STSCUL = "store shared", LDU = "load global",
    SHLADD = "int_add", ISAD = "int_add",
    ISUB = "int_add", BFIND = "int_add", FLO = "int_add", LOP32 = "int_add",
    VSEL = "int_add", SUGATHER = "load texture", STSUL = "store shared",
    LDSL = "load shared", TEX0 = "load texture",
  },
}
