/*
 * The opcodes that the front end knows, one row each.
 *
 * ROW(id, name, fields, operands, group)
 *
 * fields: the modifier words that may follow the name, one letter per field
 * of struct loom_ptx_inst in the order in which they are printed:
 *   o order   k scope   p space   P space2   c cache   e evict   E evict2
 *   m prefetch
 *   v vector  t type (up to four)  r round   C compare  b sub    h half
 *   M mode    g shape   l layout   F flags (wherever F stands)
 * Flags that PTX writes in other places have their own letters:
 *   y .sync   u .uni   A .approx/.full   z .ftz   s .sat   x .cc   n .nc
 *   H .L2::cache_hint   G .sync_restrict
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
#ifndef WORKLOADS_IR_ROWS_H
#define WORKLOADS_IR_ROWS_H

#include "workloads/ir/rows_matrix.h"

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
    ROW(SAD, "sad", "t", "dsss", MOVE) \
    ROW(DIV, "div", "Arzt", "dss", DIV) \
    ROW(REM, "rem", "t", "dss", DIV) \
    ROW(ABS, "abs", "zt", "ds", MOVE) \
    ROW(NEG, "neg", "zt", "ds", MOVE) \
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
    ROW(MAPA, "mapa", "pt", "dss", MOVE) \
    ROW(GETCTARANK, "getctarank", "pt", "ds", MOVE) \
    ROW(ISSPACEP, "isspacep", "p", "qs", MOVE) \
    ROW(ACTIVEMASK, "activemask", "t", "d", MOVE) \
    ROW(SHFL, "shfl", "ybt", "dsss|dssss", SHUFFLE) \
    ROW(VOTE, "vote", "ybt", "xp?s", SHUFFLE) \
    ROW(MATCH, "match", "byt", "dss", SHUFFLE) \
    ROW(REDUX, "redux", "ybVNt", "dss", SHUFFLE) \
    ROW(ELECT, "elect", "y", "ds", SHUFFLE) \
    ROW(LD, "ld", "okpnceEmHvt", "va?s", LOAD) \
    ROW(LDU, "ldu", "pvt", "va", LOAD) \
    ROW(ST, "st", "okpceEmHvt", "aw?s", STORE) \
    ROW(ATOM, "atom", "okpbFHvt", "vaw?ss", ATOMIC) \
    ROW(RED, "red", "okpbFHvt", "aw?s", ATOMIC) \
    ROW(CREATEPOLICY_PART, "createpolicy.fractional", "eEt", "d?s", MOVE) \
    ROW(CREATEPOLICY_RANGE, "createpolicy.range", "peEt", "dass", MOVE) \
    ROW(CREATEPOLICY_CVT, "createpolicy.cvt.L2", "t", "ds", MOVE) \
    ROW(ST_BULK, "st.bulk", "op", "ass", STORE) \
    ROW(ST_ASYNC, "st.async", "okpFvt", "awa", STORE) \
    ROW(RED_ASYNC, "red.async", "okpFbt", "asa", ATOMIC) \
    ROW(PREFETCH, "prefetch", "pMe", "a", NOP) \
    ROW(PREFETCHU, "prefetchu", "M", "a", NOP) \
    ROW(CP_ASYNC, "cp.async", "cpPemH", "aas?ss", LOAD) \
    ROW(CP_ASYNC_COMMIT, "cp.async.commit_group", "", "", NOP) \
    ROW(CP_ASYNC_MBARRIER, "cp.async.mbarrier.arrive", "Fpt", "a", \
        ATOMIC) \
    ROW(CP_ASYNC_BULK, "cp.async.bulk", "pPFH", "aas?ass|aass", LOAD) \
    ROW(CP_REDUCE_BULK, "cp.reduce.async.bulk", "pPFHbt", \
        "aas?as|aass", LOAD) \
    ROW(CP_TENSOR, "cp.async.bulk.tensor", "gpPFH", "aaa?ss|aa?s", LOAD) \
    ROW(CP_REDUCE_TENSOR, "cp.reduce.async.bulk.tensor", "gpPbFH", \
        "aa?s", LOAD) \
    ROW(CP_TENSOR_PREFETCH, "cp.async.bulk.prefetch.tensor", "gMpFH", "a?s", \
        NOP) \
    ROW(MAP_REPLACE, "tensormap.replace.tile", "MpFt", "as?s", STORE) \
    ROW(MAP_COPY, "tensormap.cp_fenceproxy", "pPMokya", "aas", STORE) \
    ROW(CP_ASYNC_BULK_PREFETCH, "cp.async.bulk.prefetch", "MpH", "as?s", NOP) \
    ROW(CP_ASYNC_BULK_COMMIT, "cp.async.bulk.commit_group", "", "", NOP) \
    ROW(CP_ASYNC_BULK_WAIT, "cp.async.bulk.wait_group", "F", "s", MEMBAR) \
    ROW(CP_ASYNC_WAIT, "cp.async.wait_group", "", "s", MEMBAR) \
    ROW(CP_ASYNC_WAIT_ALL, "cp.async.wait_all", "", "", MEMBAR) \
    ROW(BRA, "bra", "u", "l", BRANCH) \
    ROW(BRX_IDX, "brx.idx", "u", "s*", BRANCH) \
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
    ROW(ALLOCA, "alloca", "t", "ds?s", MOVE) \
    ROW(STACKSAVE, "stacksave", "t", "d", MOVE) \
    ROW(STACKRESTORE, "stackrestore", "t", "s", MOVE) \
    ROW(DISCARD, "discard", "pM", "as", NOP) \
    ROW(APPLYPRIORITY, "applypriority", "pe", "as", NOP) \
    ROW(SETMAXNREG_INC, "setmaxnreg.inc", "yat", "s", NOP) \
    ROW(SETMAXNREG_DEC, "setmaxnreg.dec", "yat", "s", NOP) \
    ROW(CLUSTER_ARRIVE, "barrier.cluster.arrive", "oa", "", BARRIER) \
    ROW(CLUSTER_WAIT, "barrier.cluster.wait", "oa", "", BARRIER) \
    ROW(BAR_SYNC, "bar.sync", "a", "s?s", BARRIER) \
    ROW(BAR_CTA_ARRIVE, "bar.cta.arrive", "a", "ss", BARRIER) \
    ROW(BAR_CTA_RED, "bar.cta.red", "bat", "xsp|xssp", BARRIER) \
    ROW(BARRIER_CTA_ARRIVE, "barrier.cta.arrive", "a", "ss", BARRIER) \
    ROW(BARRIER_CTA_RED, "barrier.cta.red", "bat", "xsp|xssp", BARRIER) \
    ROW(BAR_ARRIVE, "bar.arrive", "a", "ss", BARRIER) \
    ROW(BAR_RED, "bar.red", "bat", "xsp|xssp", BARRIER) \
    ROW(BAR_CTA_SYNC, "bar.cta.sync", "a", "s?s", BARRIER) \
    ROW(BAR_WARP_SYNC, "bar.warp.sync", "", "s", BARRIER) \
    ROW(BARRIER_SYNC, "barrier.sync", "a", "s?s", BARRIER) \
    ROW(BARRIER_ARRIVE, "barrier.arrive", "a", "ss", BARRIER) \
    ROW(BARRIER_RED, "barrier.red", "bat", "xsp|xssp", BARRIER) \
    ROW(BARRIER_CTA_SYNC, "barrier.cta.sync", "a", "s?s", BARRIER) \
    ROW(MEMBAR, "membar", "ok", "", MEMBAR) \
    ROW(MEMBAR_PROXY, "membar.proxy", "M", "", MEMBAR) \
    ROW(FENCE, "fence", "oGk", "", MEMBAR) \
    ROW(FENCE_PROXY, "fence.proxy", "MoGkp", "", MEMBAR) \
    ROW(FENCE_MAP, "fence.proxy.tensormap::generic", "ok", "?as", MEMBAR) \
    ROW(FENCE_INIT, "fence.mbarrier_init", "okp", "", MEMBAR) \
    ROW(MBARRIER_INIT, "mbarrier.init", "pt", "as", STORE) \
    ROW(MBARRIER_INVAL, "mbarrier.inval", "pt", "a", STORE) \
    ROW(MBARRIER_ARRIVE, "mbarrier.arrive", "okpt", "da?s", ATOMIC) \
    ROW(MBARRIER_ARRIVE_EXPECT, "mbarrier.arrive.expect_tx", "okpt", \
        "das", ATOMIC) \
    ROW(MBARRIER_ARRIVE_NOC, "mbarrier.arrive.noComplete", "okpt", \
        "das", ATOMIC) \
    ROW(MBARRIER_DROP, "mbarrier.arrive_drop", "okpt", "da?s", ATOMIC) \
    ROW(MBARRIER_EXPECT, "mbarrier.expect_tx", "okpt", "as", ATOMIC) \
    ROW(MBARRIER_COMPLETE, "mbarrier.complete_tx", "okpt", "as", ATOMIC) \
    ROW(MBARRIER_TEST, "mbarrier.test_wait", "okpt", "qas", LOAD) \
    ROW(MBARRIER_TEST_PARITY, "mbarrier.test_wait.parity", "okpt", \
        "qas", LOAD) \
    ROW(MBARRIER_TRY, "mbarrier.try_wait", "okpt", "qas?s", LOAD) \
    ROW(MBARRIER_TRY_PARITY, "mbarrier.try_wait.parity", "okpt", \
        "qas?s", LOAD) \
    ROW(MBARRIER_PENDING, "mbarrier.pending_count", "t", "ds", MOVE) \
    ROW(TEX, "tex", "gvtt", "va", TEXTURE) \
    ROW(TEX_LEVEL, "tex.level", "gvtt", "vas", TEXTURE) \
    ROW(TEX_BASE, "tex.base", "gvtt", "va", TEXTURE) \
    ROW(TEX_GRAD, "tex.grad", "gvtt", "vaww", TEXTURE) \
    ROW(TLD4_R, "tld4.r", "gvtt", "va", TEXTURE) \
    ROW(TLD4_G, "tld4.g", "gvtt", "va", TEXTURE) \
    ROW(TLD4_B, "tld4.b", "gvtt", "va", TEXTURE) \
    ROW(TLD4_A, "tld4.a", "gvtt", "va", TEXTURE) \
    ROW(TXQ_WIDTH, "txq.width", "t", "da", MOVE) \
    ROW(TXQ_HEIGHT, "txq.height", "t", "da", MOVE) \
    ROW(TXQ_DEPTH, "txq.depth", "t", "da", MOVE) \
    ROW(TXQ_ARRAY_SIZE, "txq.array_size", "t", "da", MOVE) \
    ROW(TXQ_TYPE, "txq.channel_data_type", "t", "da", MOVE) \
    ROW(TXQ_ORDER, "txq.channel_order", "t", "da", MOVE) \
    ROW(TXQ_NORMALIZED, "txq.normalized_coords", "t", "da", MOVE) \
    ROW(TXQ_LEVELS, "txq.num_mipmap_levels", "t", "da", MOVE) \
    ROW(TXQ_SAMPLES, "txq.num_samples", "t", "da", MOVE) \
    ROW(SUQ_WIDTH, "suq.width", "t", "da", MOVE) \
    ROW(SUQ_HEIGHT, "suq.height", "t", "da", MOVE) \
    ROW(SUQ_DEPTH, "suq.depth", "t", "da", MOVE) \
    ROW(SUQ_ARRAY_SIZE, "suq.array_size", "t", "da", MOVE) \
    ROW(SUQ_TYPE, "suq.channel_data_type", "t", "da", MOVE) \
    ROW(SUQ_ORDER, "suq.channel_order", "t", "da", MOVE) \
    ROW(SULD_B, "suld.b", "gvtM", "va", TEXTURE) \
    ROW(SUST_B, "sust.b", "gvtM", "aw", TEXTURE) \
    ROW(SUST_P, "sust.p", "gvtM", "aw", TEXTURE) \
    ROW(SURED_B, "sured.b", "bgtM", "as", TEXTURE) \
    ROW(SURED_P, "sured.p", "bgtM", "as", TEXTURE) \
    ROW(CVT_PACK, "cvt.pack", "sttt", "dss?s", MOVE) \
    ROW(VADD, "vadd", "tttsb", "dss?s", ADD) \
    ROW(VSUB, "vsub", "tttsb", "dss?s", ADD) \
    ROW(VABSDIFF, "vabsdiff", "tttsb", "dss?s", ADD) \
    ROW(VMIN, "vmin", "tttsb", "dss?s", MINMAX) \
    ROW(VMAX, "vmax", "tttsb", "dss?s", MINMAX) \
    ROW(VSHL, "vshl", "tttsMb", "dss?s", ADD) \
    ROW(VSHR, "vshr", "tttsMb", "dss?s", ADD) \
    ROW(VMAD, "vmad", "tttsM", "dsss", MAD) \
    ROW(VSET, "vset", "ttCb", "dss?s", ADD) \
    ROW(VADD2, "vadd2", "tttsb", "dsss", ADD) \
    ROW(VSUB2, "vsub2", "tttsb", "dsss", ADD) \
    ROW(VAVRG2, "vavrg2", "tttsb", "dsss", ADD) \
    ROW(VABSDIFF2, "vabsdiff2", "tttsb", "dsss", ADD) \
    ROW(VMIN2, "vmin2", "tttsb", "dsss", MINMAX) \
    ROW(VMAX2, "vmax2", "tttsb", "dsss", MINMAX) \
    ROW(VSET2, "vset2", "ttCb", "dsss", ADD) \
    ROW(VADD4, "vadd4", "tttsb", "dsss", ADD) \
    ROW(VSUB4, "vsub4", "tttsb", "dsss", ADD) \
    ROW(VAVRG4, "vavrg4", "tttsb", "dsss", ADD) \
    ROW(VABSDIFF4, "vabsdiff4", "tttsb", "dsss", ADD) \
    ROW(VMIN4, "vmin4", "tttsb", "dsss", MINMAX) \
    ROW(VMAX4, "vmax4", "tttsb", "dsss", MINMAX) \
    ROW(VSET4, "vset4", "ttCb", "dsss", ADD) \
    LOOM_PTX_MATRIX_ROWS(ROW)
/* clang-format on */

#endif
