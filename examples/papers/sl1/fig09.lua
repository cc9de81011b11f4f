-- Figure 9: threads online, on 15 SMs, with which each is fastest.
local common = require "common"

return common.experiment {
  name = "sl1_fig09",
  doc = "Threads online where each is fastest",
  schemes = { "l1", "sl1" },
  metrics = { "online" },
  derive = {
    threads_online = function(t) return common.at_best(t, t.online) end,
  },
  figures = { { column = "threads_online", by = "bench",
                y = "Threads on 15 SMs" } },
}
