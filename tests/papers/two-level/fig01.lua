local common = require "common"
return common.experiment { name = "test_fig01", doc = "Cycles",
                           scheds = { "lrr" },
                           figures = { { column = "cycles", by = "bench" } } }
