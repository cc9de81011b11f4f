-- Hopper (9.0): warp groups, bulk copies, clusters.
-- Bulk copies (UBLKCP, UTMALDG ..) are made by an engine whose addresses are
-- not in the trace: they cost an instruction and move nothing.
-- See opcodes/common.lua for what an entry says.

local import = ...

return {
  base = import "opcodes/sm89",
  versions = { 90 },
  opcodes = {
    BGMMA = "tensor dests=4", HGMMA = "tensor dests=4",
    IGMMA = "tensor dests=4", QGMMA = "tensor dests=4",
    WARPGROUP = "nop", WARPGROUPSET = "nop",
    ["WARPGROUP.DEPBAR"] = "nop",
    STSM = "store shared bytes=16", STAS = "store shared",
    REDAS = "atomic shared", REDG = "atomic global",
    UBLKCP = "nop", UBLKPF = "nop", UBLKRED = "nop", UTMALDG = "nop",
    UTMASTG = "nop", UTMAREDG = "nop", UTMAPF = "nop", UTMACCTL = "nop",
    UTMACMDFLUSH = "nop", SYNCS = "nop", ELECT = "shuffle",
    ENDCOLLECTIVE = "nop", CGAERRBAR = "nop", LDGMC = "load global",
    PREEXIT = "nop", USETMAXREG = "nop", UCGABAR_ARV = "nop",
    UCGABAR_WAIT = "nop", FENCE = "nop", VIADD = "int_add",
    VIADDMNMX = "int_max", VIMNMX = "int_max", VIMNMX3 = "int_max",
    VHMNMX = "fp_max", USETSHMSZ = "nop", R2UR = "int_add",
    MEMBAR = "membar", UIADD3 = "int_add", ULEPC = "int_add", ACQBULK = "nop",
  },
}
