-- SASS opcodes and what they need of an SM: the part that all architectures
-- from Kepler to Hopper share.
--
-- An entry is "class [space] [attribute]..":
--   class      int_add int_max int_mul int_mad int_div move fp_add fp_max
--              fp_mul fp_mad fp_div dp_add dp_max dp_mul dp_mad dp_div sfu
--              tensor shuffle branch barrier membar load store atomic exit nop
--              (move is PTX's: SASS has one latency for all of its ALU)
--   space      global local shared const texture, or generic: by the address
--   bytes=n    per lane, where the modifiers do not say it
--   dests=n    registers of the destination, where the width does not say it
--   sources=n  registers of each source
--   copies     LDGSTS: copies asynchronously; reads global or writes shared
--              memory, by the address
--   groups     LDGDEPBAR: ends a group of such copies
--   waits      DEPBAR: until as many groups as its immediate says are left
-- A name may have modifiers ("BAR.ARV"); the longest that matches counts.
--
-- Names and meanings: CUDA Binary Utilities, "Instruction Set Reference";
-- classes: execution units of GPGPU-Sim's PTX instructions.

return {
  -- Integer and logic.
  BMSK = "int_add", BREV = "int_add", FLO = "int_add", IABS = "int_add",
  ICMP = "int_add", LEA = "int_add", LOP = "int_add", LOP3 = "int_add",
  LOP32I = "int_add", POPC = "int_add", SHF = "int_add", SHL = "int_add",
  SHR = "int_add", BFE = "int_add", BFI = "int_add", IADD = "int_add",
  IADD3 = "int_add", IADD32I = "int_add", ISCADD = "int_add",
  ISCADD32I = "int_add", ISET = "int_add", ISETP = "int_add",
  IMNMX = "int_max", IMUL = "int_mul", IMUL32I = "int_mul",
  IMAD = "int_mad", ["IMAD.WIDE"] = "int_mad dests=2", IMADSP = "int_mad",
  IMAD32I = "int_mad", XMAD = "int_mad", VMAD = "int_mad",
  VADD = "int_add", VMNMX = "int_max", VABSDIFF = "int_add",
  VABSDIFF4 = "int_add", VSET = "int_add", VSETP = "int_add",
  VSHL = "int_add", VSHR = "int_add",

  -- Moves, conversions, predicates, special registers.
  MOV = "int_add", MOV32I = "int_add", PRMT = "int_add", SEL = "int_add",
  S2R = "int_add", CS2R = "int_add", ["CS2R.64"] = "int_add dests=2",
  R2P = "int_add", P2R = "int_add", PSET = "int_add", PSETP = "int_add",
  CSET = "int_add", CSETP = "int_add", R2B = "nop", B2R = "int_add",
  LEPC = "int_add dests=2", PEXIT = "exit",
  F2F = "int_add", F2I = "int_add", I2F = "int_add", I2I = "int_add",
  ["F2F.F64"] = "dp_add dests=2", ["I2F.F64"] = "dp_add dests=2",
  ["F2F.F32.F64"] = "dp_add", FRND = "int_add",

  -- Single and double precision.
  FADD = "fp_add", FADD32I = "fp_add", FCMP = "fp_add", FCHK = "fp_add",
  FSET = "fp_add", FSETP = "fp_add", FSEL = "fp_add", FSWZ = "fp_add",
  FSWZADD = "fp_add", FMNMX = "fp_max", FMUL = "fp_mul",
  FMUL32I = "fp_mul", FFMA = "fp_mad", FFMA32I = "fp_mad",
  RRO = "fp_add", MUFU = "sfu",
  DADD = "dp_add dests=2 sources=2", DMUL = "dp_mul dests=2 sources=2",
  DFMA = "dp_mad dests=2 sources=2", DMNMX = "dp_max dests=2 sources=2",
  DSET = "dp_add sources=2", DSETP = "dp_add sources=2",

  -- Half precision.
  HADD2 = "fp_add", HADD2_32I = "fp_add", HMUL2 = "fp_mul",
  HMUL2_32I = "fp_mul", HFMA2 = "fp_mad", HFMA2_32I = "fp_mad",
  HSET2 = "fp_add", HSETP2 = "fp_add", HMNMX2 = "fp_max",

  -- Between the lanes of a warp.
  SHFL = "shuffle", VOTE = "shuffle",

  -- Memory.
  LD = "load generic", ST = "store generic",
  LDG = "load global", STG = "store global",
  LDL = "load local", STL = "store local",
  LDS = "load shared", STS = "store shared",
  LDC = "load const",
  ATOM = "atomic generic", ATOMS = "atomic shared", RED = "atomic global",
  TEX = "load texture", TEXS = "load texture", TLD = "load texture",
  TLDS = "load texture", TLD4 = "load texture", TLD4S = "load texture",
  TXD = "load texture", TXQ = "load texture", TMML = "load texture",
  TXA = "load texture", TXG = "load texture",
  SULD = "load texture", SUST = "store texture",
  SUATOM = "atomic texture", SURED = "atomic texture",
  SUQ = "load texture", SUEAU = "int_add", SUBFM = "int_add",
  SUCLAMP = "int_add",
  CCTL = "nop", CCTLL = "nop", CCTLT = "nop", TEXDEPBAR = "nop",
  MEMBAR = "membar", ERRBAR = "nop",

  -- Control.  DEPBAR waits for scoreboards, which the registers stand for.
  -- A barrier's number is not in the trace; an arrival that does
  -- not wait must not stop the warp.
  BAR = "barrier", ["BAR.ARV"] = "nop",
  BRA = "branch", BRX = "branch", JMP = "branch", JMX = "branch",
  JCAL = "branch", CAL = "branch", CALL = "branch", RET = "branch",
  BRK = "branch", CONT = "branch", SYNC = "branch", SSY = "branch",
  PBK = "branch", PCNT = "branch", PRET = "branch", PLONGJMP = "branch",
  LONGJMP = "branch", RTT = "exit", BPT = "nop", KILL = "exit",
  RAM = "nop", SAM = "nop", EXIT = "exit",
  NOP = "nop", DEPBAR = "nop", GETCRSPTR = "nop",
  GETLMEMBASE = "int_add", SETCRSPTR = "nop", SETLMEMBASE = "nop",
  PMTRIG = "nop", IDE = "nop",
}
