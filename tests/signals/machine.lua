-- A small machine, for programs that are ended.
local loom = require "warploom"

return loom.preset.tiny {}
