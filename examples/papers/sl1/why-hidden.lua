-- Why S-L1 costs less than 8 % when it is enabled but not used: with the
-- threads that suit a kernel best, it waits for the SM's link, which carries
-- an access in a cycle, and instructions are hidden behind it.  Here it has
-- 128 threads, which do not fill the link.
local common = require "common"

return common.experiment {
  name = "sl1_why_hidden",
  doc = "Overhead of S-L1 when it is enabled but not used, with few threads",
  schemes = { "none", "unused" }, threads = { common.threads[1] },
  derive = {
    overhead = function(t)
      return (t.cycles:normalise { scheme = "none" } - 1)
        :at { scheme = "unused" }
    end,
    mean = function(t) return t.overhead:mean("bench", "arithmetic") end,
  },
  figures = { { column = "overhead", by = "bench", mean = "arithmetic",
                y = "Time, more by" } },
}
