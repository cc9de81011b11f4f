local loom = require "warploom"
return loom.preset.gtx480 { sm_count = 2 }
