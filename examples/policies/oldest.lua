-- Warp schedulers side by side: the greedy ones keep a warp's lines in use.
--   warploom run -q examples/policies/oldest.lua
require("common").schedulers("gto", "lrr", "oldest")
