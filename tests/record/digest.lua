-- Prints the digest of all numbers of results files; runs with --unsafe.
local core = require "warploom.import" "core"
for _, path in ipairs { ... } do
  print(assert(core.results_digest(path)))
end
