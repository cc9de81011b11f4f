-- Sorts by a key without calling a comparison for each pair: the keys, which
-- are numbers or strings, are sorted as they are.

local M = {}

-- Sorts `list` by key(item); items of one key keep their order, or are sorted
-- by `less`.
function M.by(list, key, less)
  local first, all, keys = {}, {}, {} -- by key; all: if there are several
  for i = 1, #list do
    local item = list[i]
    local k = key(item)
    local same = all[k]
    if same then
      same[#same + 1] = item
    elseif first[k] then
      all[k] = { first[k], item }
    else
      first[k] = item
      keys[#keys + 1] = k
    end
  end
  table.sort(keys)
  local n = 0
  for _, k in ipairs(keys) do
    local same = all[k]
    if same and less then table.sort(same, less) end
    for i = 1, same and #same or 1 do
      n = n + 1
      list[n] = same and same[i] or first[k]
    end
  end
  return list
end

return M
