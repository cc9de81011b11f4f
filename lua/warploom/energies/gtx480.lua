-- gtx480: the GTX 480 of GPUWattch (Leng et al., ISCA 2013), 40 nm.
--
-- The values themselves are the parts' own (engine/energy.h): what CACTI says
-- of arrays and the McPAT inside GPUWattch of the rest.  A `fit` is the factor
-- by which GPUWattch's regression against power measured on the card corrects
-- that: the configuration gpuwattch_gtx480.xml of GPGPU-Sim, tested-cfgs/
-- SM2_GTX480, 90ec3399.  The regression has one factor for each of its own
-- events; where ours are finer or other ones, the nearest is taken.

return {
  name = "gtx480",
  doc = "GeForce GTX 480 as GPUWattch has it",
  node = 40,
  flit_bytes = 32, -- of an access of the network
  burst_bytes = 64, -- of a column command of the memory
  values = {},
  fit = {
    sm = {
      fetch = { 2.14, "IC_H" }, decode = { 2, "TOT_INST" },
      schedule = { 4.57, "FP_INT" }, register_read = { 0.14, "REG_RD" },
      register_write = { 0.21, "REG_WR" }, integer = { 2.38, "SP_ACC" },
      integer_multiply = { 0.51, "SFU_ACC" }, float = { 0.64, "FPU_ACC" },
      double = { 0.64, "FPU_ACC" }, special = { 0.51, "SFU_ACC" },
      tensor = { 0.51, "SFU_ACC" },
    },
    ldst = { shared = { 7.04, "SHRD_ACC" }, constant = { 11.07, "CC_H" } },
    l1 = {
      tag = { 24.66, "DC_RM" }, read = { 22.14, "DC_RH" },
      write = { 1.53, "DC_WH" }, fill = { 24.66, "DC_RM" },
      mshr_search = { 24.66, "DC_RM" }, mshr_write = { 24.66, "DC_RM" },
    },
    l1c = {
      tag = { 12.33, "CC_M" }, read = { 11.07, "CC_H" },
      fill = { 12.33, "CC_M" }, mshr_search = { 12.33, "CC_M" },
      mshr_write = { 12.33, "CC_M" },
    },
    l1t = {
      tag = { 24.66, "TC_M" }, read = { 10.21, "TC_H" },
      fill = { 24.66, "TC_M" }, mshr_search = { 24.66, "TC_M" },
      mshr_write = { 24.66, "TC_M" },
    },
    l2 = {
      tag = { 35.18, "L2_RM" }, read = { 13.79, "L2_RH" },
      write = { 43.07, "L2_WH" }, fill = { 28.72, "L2_WM" },
      mshr_search = { 35.18, "L2_RM" }, mshr_write = { 35.18, "L2_RM" },
    },
    crossbar = { flit = { 305.48, "NOC_A" } },
    network = { flit_hop = { 305.48, "NOC_A" } },
    dram = {
      read = { 0.33, "MEM_RD" }, write = { 0.40, "MEM_WR" },
      row = { 0.11, "MEM_PRE" }, refresh = { 0.11, "MEM_PRE" },
      bank_refresh = { 0.11, "MEM_PRE" },
    },
    -- The chip's constant part is raised to 11 W, not multiplied by 11.
    gpu = { constant = { 11 / 1.17634, "CONST_DYNAMICN" } },
  },
}
