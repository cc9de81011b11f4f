/*
 * What an SM's instructions take.
 *
 * GPUWattch counts lanes: an active one is one access of a unit, an idle one
 * half of one.  Here a warp instruction is 32 accesses, for its lanes are not
 * counted by class of operation.  Registers are counted as the classes have
 * them (a mad reads three and writes one, double precision has two for each),
 * not as single instructions do.
 */
#include "components/sm/sm_private.h"

#define GPUWATCH "GPUWattch, GTX 480: "
#define LANES 32

const struct loom_energy sm_energies[SM_ENERGY_COUNT] = {
    {"fetch", "Fetching an instruction, two at a time", "warp_insts",
     2.96423e-11 / 2, GPUWATCH "half of IC_H"},
    {"decode", "Decoding and buffering it", "warp_insts", 1.80705e-12,
     GPUWATCH "TOT_INST"},
    {"schedule", "Choosing an instruction of arithmetic",
     "insts.int_add + insts.int_max + insts.int_mul + insts.int_mad + "
     "insts.int_div + insts.move + insts.fp_add + insts.fp_max + "
     "insts.fp_mul + insts.fp_mad + insts.fp_div + insts.dp_add + "
     "insts.dp_max + insts.dp_mul + insts.dp_mad + insts.dp_div + insts.sfu + "
     "insts.tensor + insts.shuffle",
     1.20109e-11, GPUWATCH "FP_INT"},
    {"register_read", "Reading a register of a warp and collecting it",
     "2*insts.int_add + 2*insts.int_max + 2*insts.int_mul + 3*insts.int_mad + "
     "2*insts.int_div + insts.move + 2*insts.fp_add + 2*insts.fp_max + "
     "2*insts.fp_mul + 3*insts.fp_mad + 2*insts.fp_div + 4*insts.dp_add + "
     "4*insts.dp_max + 4*insts.dp_mul + 6*insts.dp_mad + 4*insts.dp_div + "
     "insts.sfu + 8*insts.tensor + 2*insts.shuffle + insts.load + "
     "2*insts.store + 2*insts.atomic",
     LANES * 5.19059e-11, GPUWATCH "32 REG_RD"},
    {"register_write", "Writing a register of a warp",
     "insts.int_add + insts.int_max + insts.int_mul + insts.int_mad + "
     "insts.int_div + insts.move + insts.fp_add + insts.fp_max + "
     "insts.fp_mul + insts.fp_mad + insts.fp_div + 2*insts.dp_add + "
     "2*insts.dp_max + 2*insts.dp_mul + 2*insts.dp_mad + 2*insts.dp_div + "
     "insts.sfu + 4*insts.tensor + insts.shuffle + insts.load + insts.atomic",
     LANES * 2.8505e-11, GPUWATCH "32 REG_WR"},
    {"integer", "An instruction of the integer units, moves and branches too",
     "insts.int_add + insts.int_max + insts.move + insts.shuffle + "
     "insts.branch",
     LANES * 1.13226e-12, GPUWATCH "32 SP_ACC"},
    {"integer_multiply", "A multiplication or division of integers",
     "insts.int_mul + insts.int_mad + insts.int_div", LANES * 9.48075e-11,
     GPUWATCH "32 SFU_ACC, where it counts them"},
    {"float", "An instruction of the floating-point units",
     "insts.fp_add + insts.fp_max + insts.fp_mul + insts.fp_mad",
     LANES * 4.62186e-11, GPUWATCH "32 FPU_ACC"},
    {"double", "An instruction in double precision",
     "insts.dp_add + insts.dp_max + insts.dp_mul + insts.dp_mad",
     2 * LANES * 4.62186e-11,
     "assumed: twice 32 FPU_ACC of GPUWattch, GTX 480"},
    {"special", "An instruction of the special-function units, a division",
     "insts.sfu + insts.fp_div + insts.dp_div", LANES * 9.48075e-11,
     GPUWATCH "32 SFU_ACC"},
    {"tensor", "A product of matrices", "insts.tensor", LANES * 9.48075e-11,
     "assumed: as the special-function units; the GTX 480 has no such unit"},
    {"leak", "Leakage of fetch, registers and execution units", "time",
     2.932793, GPUWATCH "leakage of IFU and EXU, 380 K"},
};
