-- Turing (7.5): uniform registers and their instructions, LDSM.
-- See opcodes/common.lua for what an entry says.

local import = ...

return {
  base = import "opcodes/sm70",
  versions = { 75 },
  opcodes = {
    R2UR = "int_add", REDUX = "shuffle", VOTEU = "shuffle", UBMSK = "int_add",
    UBREV = "int_add", UCLEA = "int_add", UFLO = "int_add",
    UIADD3 = "int_add", UIMAD = "int_mad", ["UIMAD.WIDE"] = "int_mad",
    UISETP = "int_add", ULDC = "load const", ULEA = "int_add",
    ULOP = "int_add", ULOP3 = "int_add", ULOP32I = "int_add",
    UMOV = "int_add", UP2UR = "int_add", UPLOP3 = "int_add",
    UPOPC = "int_add", UPRMT = "int_add", UPSETP = "int_add",
    UR2UP = "int_add", USEL = "int_add", USGXT = "int_add", USHF = "int_add",
    USHL = "int_add", USHR = "int_add", UMEMSETS = "nop",
    -- Each lane's address is a row of 16 bytes; .2 and .4 fill as many
    -- registers.
    LDSM = "load shared bytes=16 dests=1",
    ["LDSM.16.M88.2"] = "load shared bytes=16 dests=2",
    ["LDSM.16.M88.4"] = "load shared bytes=16 dests=4",
    ["LDSM.16.MT88.2"] = "load shared bytes=16 dests=2",
    ["LDSM.16.MT88.4"] = "load shared bytes=16 dests=4",
    MOVM = "int_add", ATOMG = "atomic global", IMMA = "tensor dests=4",
  },
}
