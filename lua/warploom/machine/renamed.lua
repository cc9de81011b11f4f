-- Parameters that have another name than before.  The old one is taken for two
-- versions, with a warning; then its row goes (tests/lua/library.lua).
--   { owner, old, new, since }: the component, policy, preset or workload, and
--   the first version with the new name: { "cache", "assoc", "ways", "0.2" }

local import = ...
local core = import "core"
local session = import "script/session"

local M = {}

M.list = {}

-- Is a row two versions old, so that it goes?  "0.2" is in "0.4" and in "1.0".
function M.is_over(row, version)
  local major, minor = row[4]:match "^(%d+)%.(%d+)"
  local now, later = (version or core.version):match "^(%d+)%.(%d+)"
  return now ~= major or tonumber(later) - tonumber(minor) >= 2
end

-- The name that `owner` has now for `key`, if that is an old one; else nil.
function M.current(owner, key, subject, site)
  for _, row in ipairs(M.list) do
    if row[1] == owner and row[2] == key then
      session.warn(subject or owner, ("parameter '%s' is called '%s' since " ..
                   "version %s"):format(key, row[3], row[4]), site)
      return row[3]
    end
  end
end

return M
