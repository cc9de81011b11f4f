-- Ada (8.9): the instructions of Ampere and tensor cores for 8-bit floats.
-- See opcodes/common.lua for what an entry says.

local import = ...

return {
  base = import "opcodes/sm80",
  versions = { 89 },
  opcodes = { QMMA = "tensor dests=4" },
}
