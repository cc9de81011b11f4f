/*
 * The opcodes that the front end knows, one row each.
 *
 * ROW(id, name, fields, operands, group)
 *
 * fields: the modifier words that may follow the name, one letter per field
 * of struct loom_ptx_inst in the order in which they are printed:
 *   o order   k scope   p space   P space2   c cache   e evict   m prefetch
 *   v vector  t type (up to four)  r round   C compare  b sub    h half
 *   M mode    g shape   l layout   F flags (wherever F stands)
 * Flags that PTX writes in other places have their own letters:
 *   y .sync   u .uni   A .approx/.full   z .ftz   s .sat   x .cc   n .nc
 *   a .aligned   T .to   i .shiftamt   R .relu/.xorsign   N .NaN   V .abs
 *
 * operands: one letter each, alternatives by '|', optional ones after '?':
 *   d destination: register or _    q predicate destination
 *   v destination: register, _ or vector
 *   x destination: a predicate if the first type is .pred, else as v
 *   s source: register, immediate, special register, address of a symbol
 *   w source: as s, or a vector     p predicate source
 *   y source: a predicate or an immediate if the first type is .pred, else
 *     as w
 *   a address in []   l label   c call's list in ()   f function or register
 *   * anything
 * A destination written "a|b" is two operands, b a predicate, and
 * LOOM_PTX_PAIR is set.
 */
#ifndef WORKLOADS_PTX_ROWS_H
#define WORKLOADS_PTX_ROWS_H

/* clang-format off */
#define LOOM_PTX_ROWS(ROW) \
    ROW(ADD, "add", "rzsxt", "dss", ADD) \
    ROW(ADDC, "addc", "xt", "dss", ADD) \
    ROW(SUB, "sub", "rzsxt", "dss", ADD) \
    ROW(SUBC, "subc", "xt", "dss", ADD) \
    ROW(MUL, "mul", "hrzst", "dss", MUL) \
    ROW(MUL24, "mul24", "ht", "dss", MUL) \
    ROW(MAD, "mad", "hrzsxt", "dsss", MAD) \
    ROW(MADC, "madc", "hxt", "dsss", MAD) \
    ROW(MAD24, "mad24", "hst", "dsss", MAD) \
    ROW(FMA, "fma", "rzsRt", "dsss", MAD) \
    ROW(SAD, "sad", "t", "dsss", ADD) \
    ROW(DIV, "div", "Arzt", "dss", DIV) \
    ROW(REM, "rem", "t", "dss", DIV) \
    ROW(ABS, "abs", "zt", "ds", ADD) \
    ROW(NEG, "neg", "zt", "ds", ADD) \
    ROW(MIN, "min", "zNRt", "dss?s", MINMAX) \
    ROW(MAX, "max", "zNRt", "dss?s", MINMAX) \
    ROW(POPC, "popc", "t", "ds", MOVE) \
    ROW(CLZ, "clz", "t", "ds", MOVE) \
    ROW(BFIND, "bfind", "it", "ds", MOVE) \
    ROW(BREV, "brev", "t", "ds", MOVE) \
    ROW(BFE, "bfe", "t", "dsss", MOVE) \
    ROW(BFI, "bfi", "t", "dssss", MOVE) \
    ROW(BMSK, "bmsk", "Mt", "dss", MOVE) \
    ROW(SZEXT, "szext", "Mt", "dss", MOVE) \
    ROW(FNS, "fns", "t", "dsss", MOVE) \
    ROW(DP4A, "dp4a", "tt", "dsss", MAD) \
    ROW(DP2A, "dp2a", "htt", "dsss", MAD) \
    ROW(TESTP, "testp", "Mt", "qs", MOVE) \
    ROW(COPYSIGN, "copysign", "t", "dss", MOVE) \
    ROW(RCP, "rcp", "Arzt", "ds", SFU) \
    ROW(SQRT, "sqrt", "Arzt", "ds", SFU) \
    ROW(RSQRT, "rsqrt", "Azt", "ds", SFU) \
    ROW(SIN, "sin", "Azt", "ds", SFU) \
    ROW(COS, "cos", "Azt", "ds", SFU) \
    ROW(LG2, "lg2", "Azt", "ds", SFU) \
    ROW(EX2, "ex2", "Azt", "ds", SFU) \
    ROW(TANH, "tanh", "At", "ds", SFU) \
    ROW(SETP, "setp", "Cbzt", "qss?p", MOVE) \
    ROW(SET, "set", "Cbztt", "dss?p", MOVE) \
    ROW(SELP, "selp", "t", "dssp", MOVE) \
    ROW(SLCT, "slct", "ztt", "dsss", MOVE) \
    ROW(AND, "and", "t", "xyy", MOVE) \
    ROW(OR, "or", "t", "xyy", MOVE) \
    ROW(XOR, "xor", "t", "xyy", MOVE) \
    ROW(NOT, "not", "t", "xy", MOVE) \
    ROW(CNOT, "cnot", "t", "ds", MOVE) \
    ROW(LOP3, "lop3", "bt", "dssss|dssssp", MOVE) \
    ROW(SHL, "shl", "t", "dss", MOVE) \
    ROW(SHR, "shr", "t", "dss", MOVE) \
    ROW(SHF_L, "shf.l", "Mt", "dsss", MOVE) \
    ROW(SHF_R, "shf.r", "Mt", "dsss", MOVE) \
    ROW(PRMT, "prmt", "tM", "dsss", MOVE) \
    ROW(MOV, "mov", "t", "xy", MOVE) \
    ROW(CVT, "cvt", "rzRstt", "ds?s", MOVE) \
    ROW(CVTA, "cvta", "Tpt", "ds", MOVE) \
    ROW(ISSPACEP, "isspacep", "p", "qs", MOVE) \
    ROW(ACTIVEMASK, "activemask", "t", "d", MOVE) \
    ROW(SHFL, "shfl", "ybt", "dsss|dssss", SHUFFLE) \
    ROW(VOTE, "vote", "ybt", "xp?s", SHUFFLE) \
    ROW(MATCH, "match", "byt", "dss", SHUFFLE) \
    ROW(REDUX, "redux", "ybVNt", "dss", SHUFFLE) \
    ROW(ELECT, "elect", "y", "ds", SHUFFLE) \
    ROW(LD, "ld", "okpncemvt", "va?s", LOAD) \
    ROW(LDU, "ldu", "pvt", "va", LOAD) \
    ROW(ST, "st", "okpcevt", "aw?s", STORE) \
    ROW(ATOM, "atom", "okpbFevt", "vaw?ss", ATOMIC) \
    ROW(RED, "red", "okpbFevt", "aw?s", ATOMIC) \
    ROW(PREFETCH, "prefetch", "pMe", "a", NOP) \
    ROW(PREFETCHU, "prefetchu", "M", "a", NOP) \
    ROW(CP_ASYNC, "cp.async", "cpPem", "aas?ss", LOAD) \
    ROW(CP_ASYNC_COMMIT, "cp.async.commit_group", "", "", NOP) \
    ROW(CP_ASYNC_WAIT, "cp.async.wait_group", "", "s", MEMBAR) \
    ROW(CP_ASYNC_WAIT_ALL, "cp.async.wait_all", "", "", MEMBAR) \
    ROW(BRA, "bra", "u", "l", BRANCH) \
    ROW(CALL, "call", "u", "cfc?*", BRANCH) \
    ROW(RET, "ret", "u", "", EXIT) \
    ROW(EXIT, "exit", "", "", EXIT) \
    ROW(TRAP, "trap", "", "", EXIT) \
    ROW(BRKPT, "brkpt", "", "", NOP) \
    ROW(NANOSLEEP, "nanosleep", "t", "s", NOP) \
    ROW(PMEVENT, "pmevent", "", "s", NOP) \
    ROW(GRIDDEPCONTROL_WAIT, "griddepcontrol.wait", "", "", NOP) \
    ROW(GRIDDEPCONTROL_LAUNCH, "griddepcontrol.launch_dependents", \
        "", "", NOP) \
    ROW(BAR_SYNC, "bar.sync", "a", "s?s", BARRIER) \
    ROW(BAR_ARRIVE, "bar.arrive", "a", "ss", BARRIER) \
    ROW(BAR_RED, "bar.red", "bat", "xsp|xssp", BARRIER) \
    ROW(BAR_CTA_SYNC, "bar.cta.sync", "a", "s?s", BARRIER) \
    ROW(BAR_WARP_SYNC, "bar.warp.sync", "", "s", BARRIER) \
    ROW(BARRIER_SYNC, "barrier.sync", "a", "s?s", BARRIER) \
    ROW(BARRIER_ARRIVE, "barrier.arrive", "a", "ss", BARRIER) \
    ROW(BARRIER_RED, "barrier.red", "bat", "xsp|xssp", BARRIER) \
    ROW(BARRIER_CTA_SYNC, "barrier.cta.sync", "a", "s?s", BARRIER) \
    ROW(MEMBAR, "membar", "ok", "", MEMBAR) \
    ROW(FENCE, "fence", "ok", "", MEMBAR) \
    ROW(TEX, "tex", "gvtt", "va", TEXTURE) \
    ROW(TEX_LEVEL, "tex.level", "gvtt", "vas", TEXTURE) \
    ROW(TLD4_R, "tld4.r", "gvtt", "va", TEXTURE) \
    ROW(SULD_B, "suld.b", "gvtM", "va", TEXTURE) \
    ROW(SUST_B, "sust.b", "gvtM", "aw", TEXTURE) \
    ROW(VABSDIFF4, "vabsdiff4", "tttbs", "dsss", ADD) \
    ROW(VADD4, "vadd4", "tttbs", "dsss", ADD) \
    ROW(VSUB4, "vsub4", "tttbs", "dsss", ADD) \
    ROW(LDMATRIX, "ldmatrix", "yagMFpt", "va", LOAD) \
    ROW(MMA, "mma", "yaglFsbtttt", "vwww", TENSOR) \
    ROW(WMMA_LOAD_A, "wmma.load.a", "yalgpt", "va?s", LOAD) \
    ROW(WMMA_LOAD_B, "wmma.load.b", "yalgpt", "va?s", LOAD) \
    ROW(WMMA_LOAD_C, "wmma.load.c", "yalgpt", "va?s", LOAD) \
    ROW(WMMA_STORE_D, "wmma.store.d", "yalgpt", "aw?s", STORE) \
    ROW(WMMA_MMA, "wmma.mma", "yalgtttts", "vwww", TENSOR)
/* clang-format on */

#endif
