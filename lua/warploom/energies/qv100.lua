-- qv100: the Quadro V100 of AccelWattch (Kandiah et al., MICRO 2021), whose
-- McPAT stands at 23 nm for the chip's 12 nm.
--
-- `values` are that McPAT's, in joules and watts, `fit` the factors of the
-- regression: accelwattch_sass_sim.xml of Accel-Sim's GPGPU-Sim, tested-cfgs/
-- SM7_QV100, 667834cf.  Arrays of caches are CACTI's, as everywhere.

local xml = "AccelWattch, QV100: "

return {
  name = "qv100",
  doc = "Quadro V100 as AccelWattch has it",
  node = 23,
  flit_bytes = 32, -- of an access of the network
  burst_bytes = 32, -- of a column command of the memory
  values = {
    sm = {
      fetch = { 1.74322e-11 / 2, xml .. "half of IC_H" },
      decode = { 5.87836e-13, xml .. "TOT_INST" },
      schedule = { 3.71392e-12, xml .. "FP_INT" },
      register_read = { 32 * 2.48622e-11, xml .. "32 REG_RD" },
      register_write = { 32 * 1.51968e-11, xml .. "32 REG_WR" },
      integer = { 32 * 4.61872e-13, xml .. "32 INT_ACC" },
      integer_multiply = { 32 * 3.86739e-11, xml .. "32 INT_MUL_ACC" },
      float = { 32 * 1.88535e-11, xml .. "32 FPU_ACC" },
      double = { 32 * 1.88535e-11, xml .. "32 DPU_ACC" },
      special = { 32 * 3.86739e-11, xml .. "32 FP_SIN_ACC" },
      tensor = { 32 * 3.86739e-11, xml .. "32 TENSOR_ACC" },
      leak = { 1.0368608, xml .. "leakage of IFU and EXU" },
    },
    ldst = {
      coalesce_load = { 5.36046e-12, xml .. "readcoalesce" },
      coalesce_store = { 6.99016e-12, xml .. "writecoalesce" },
      shared = { 1.44367e-10, xml .. "SHRD_ACC" },
      constant = { 5.51748e-11, xml .. "CC_H" },
    },
    crossbar = {
      flit = { 2.68309e-12, xml .. "NOC_A" },
      leak = { 0.006694872, xml .. "leakage of the NoC" },
    },
    network = {
      flit_hop = { 2.68309e-12, xml .. "NOC_A; assumed: each router takes " ..
                   "as much as its one crossbar" },
      leak = { 0.006694872, xml .. "leakage of the NoC" },
    },
    dram = {
      read = { 7.94945e-08, xml .. "MEM_RD" },
      write = { 3.74919e-08, xml .. "MEM_WR" },
      row = { 3.8475e-08, xml .. "MEM_PRE" },
      controller = { 0.12953155 / 32, xml .. "leakage of the memory " ..
                     "controllers; assumed: a 32nd for each channel" },
    },
    gpu = {
      constant = { 32.3252, xml .. "constant_power" },
    },
  },
  fit = {
    sm = {
      fetch = { 8.59349, "IC_H" }, decode = { 10, "TOT_INST" },
      schedule = { 4.661, "FP_INT" }, register_read = { 0.100561, "REG_RD" },
      register_write = { 0.140605, "REG_WR" }, integer = { 14.9877, "INT_ACC" },
      integer_multiply = { 0.115098, "INT_MUL_ACC" },
      float = { 0.529671, "FPU_ACC" }, double = { 0.777229, "DPU_ACC" },
      special = { 0.133363, "FP_SIN_ACC" }, tensor = { 0.815455, "TENSOR_ACC" },
    },
    ldst = { shared = { 0.779993, "SHRD_ACC" },
             constant = { 0.1107, "CC_H" } },
    l1 = {
      tag = { 10.9545, "DC_RM" }, read = { 9.83503, "DC_RH" },
      write = { 0.679657, "DC_WH" }, fill = { 10.9545, "DC_RM" },
      mshr_search = { 10.9545, "DC_RM" }, mshr_write = { 10.9545, "DC_RM" },
    },
    l1c = {
      tag = { 0.1233, "CC_M" }, read = { 0.1107, "CC_H" },
      fill = { 0.1233, "CC_M" }, mshr_search = { 0.1233, "CC_M" },
      mshr_write = { 0.1233, "CC_M" },
    },
    l1t = {},
    l2 = {
      tag = { 2.39454, "L2_RM" }, read = { 1.26087, "L2_RH" },
      write = { 4.12492, "L2_WH" }, fill = { 1.22271, "L2_WM" },
      mshr_search = { 2.39454, "L2_RM" }, mshr_write = { 2.39454, "L2_RM" },
    },
    crossbar = { flit = { 32.0904, "NOC_A" } },
    network = { flit_hop = { 32.0904, "NOC_A" } },
    dram = {
      read = { 0.0259411, "MEM_RD" }, write = { 0.0314437, "MEM_WR" },
      row = { 0.00864702, "MEM_PRE" }, refresh = { 0.00864702, "MEM_PRE" },
      bank_refresh = { 0.00864702, "MEM_PRE" },
    },
    gpu = {},
  },
}
