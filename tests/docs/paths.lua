-- Paths in links, for tests of links.

local M = {}

-- "docs/policies" and "../reference.md" make "docs/reference.md".
function M.join(folder, path)
  local parts = {}
  for part in (folder .. "/" .. path):gmatch "[^/]+" do
    if part == ".." then
      parts[#parts] = nil
    elseif part ~= "." then
      parts[#parts + 1] = part
    end
  end
  return table.concat(parts, "/")
end

return M
