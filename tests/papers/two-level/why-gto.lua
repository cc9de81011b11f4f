local common = require "common"
return common.experiment { name = "test_why", doc = "Cycles",
                           scheds = { "gto" },
                           figures = { { column = "cycles", by = "bench" } } }
