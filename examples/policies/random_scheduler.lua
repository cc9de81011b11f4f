-- Warp schedulers side by side: the greedy ones keep a warp's lines in use.
--   warploom run -q examples/policies/random_scheduler.lua
require("common").schedulers("gto", "lrr", "random_scheduler")
