-- Sorts by a key without calling a comparison for each pair: the keys, which
-- are numbers or strings, are sorted as they are.

local M = {}

-- Sorts `list` by key(item); items of one key keep their order, or are sorted
-- by `less`.
function M.by(list, key, less)
  local at, keys = {}, {}
  for _, item in ipairs(list) do
    local k = key(item)
    local same = at[k]
    if same then
      same[#same + 1] = item
    else
      at[k] = { item }
      keys[#keys + 1] = k
    end
  end
  table.sort(keys)
  local n = 0
  for _, k in ipairs(keys) do
    local same = at[k]
    if less and #same > 1 then table.sort(same, less) end
    for _, item in ipairs(same) do
      n = n + 1
      list[n] = item
    end
  end
  return list
end

return M
