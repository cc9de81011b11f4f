-- A stub in every slot: it answers every question, watches every event and
-- counts; the counts are compared with the components' own counters.
local loom = require "warploom"

local gpu = loom.preset.gtx480 { sm_count = 2 }
gpu.dispatch = loom.stub_dispatch {}
gpu:each "sm[*]":attach(loom.stub_sm {})
gpu:each "sm[*].l1d":attach(loom.stub_cache {})
gpu:each "l2[*]":attach(loom.stub_cache {})
gpu.noc.routing = loom.stub_routing {}
gpu.noc.request_arbiter = loom.stub_arbiter {}
gpu.noc.reply_arbiter = loom.stub_arbiter {}
gpu:each "dram[*]":attach(loom.stub_schedule {})

local run = loom.run {
  machine = gpu,
  workload = loom.suite.atax { rows = 128, columns = 24 },
  stats = { file = "stub.h5" },
}
