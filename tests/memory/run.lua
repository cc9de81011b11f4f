local loom = require "warploom"
loom.run { machine = loom.preset.gtx480 {},
           workload = loom.suite.atax { rows = 64, columns = 64 } }
