-- Blackwell (10.0, 10.3, 11.0, 12.0, 12.1): tensor memory, pairs of floats,
-- floats of 4 bits, floats in the uniform datapath.
-- Products whose operands are in shared and tensor memory (UTCHMMA ..) are
-- made by a unit of their own, as bulk copies are: they cost an instruction.
-- Loads from tensor memory have no addresses in the trace.
-- See opcodes/common.lua for what an entry says.

local import = ...

return {
  base = import "opcodes/sm90",
  versions = { 100, 103, 107, 110, 120, 121 },
  opcodes = {
    FADD2 = "fp_add dests=2 sources=2", FMUL2 = "fp_mul dests=2 sources=2",
    FFMA2 = "fp_mad dests=2 sources=2", FMNMX3 = "fp_max",
    FHADD = "fp_add", FHADD2 = "fp_add dests=2", FHFMA = "fp_mad",
    FHFMA2 = "fp_mad dests=2", FHMUL2 = "fp_mul dests=2",
    OMMA = "tensor dests=4", QMMA = "tensor dests=4",
    DECOMPRESS = "int_add", SPARSIFY = "int_add", VISET = "int_add",
    MOV64IUR = "int_add dests=2", REDS = "atomic shared",
    SYNCSU = "nop", USYNCS = "nop", ACQSHMINIT = "nop",
    CREDUX = "shuffle", CS2UR = "int_add", LDCU = "load const",
    UFADD = "fp_add", UFMUL = "fp_mul", UFFMA = "fp_mad",
    UFMNMX = "fp_max", UFRND = "int_add", UFSEL = "fp_add",
    UFSET = "fp_add", UFSETP = "fp_add", UF2F = "int_add",
    UF2I = "int_add", UF2IP = "int_add", UI2F = "int_add",
    UI2FP = "int_add", UI2I = "int_add", UI2IP = "int_add",
    UIABS = "int_add", UIMNMX = "int_max", UVIADD = "int_add",
    UVIMNMX = "int_max", ["UMOV.64"] = "int_add dests=2",
    UGETNEXTWORKID = "nop", UVIRTCOUNT = "nop",
    UREDGR = "atomic global", USTGR = "store global",
    UBLKL2CCTL = "nop", UTMAL2CCTL = "nop",
    LDT = "int_add", LDTM = "int_add", STT = "nop", STTM = "nop",
    UTCATOMSWS = "nop", UTCBAR = "nop", UTCCP = "nop", UTCSHIFT = "nop",
    UTCHMMA = "nop", UTCIMMA = "nop", UTCOMMA = "nop", UTCQMMA = "nop",
  },
}
