-- "Did you mean": the nearest of a list of names that would be accepted.

local M = {}

-- Damerau-Levenshtein distance (insertions, deletions, substitutions,
-- swaps of neighbours).
function M.distance(a, b)
  local before, previous = {}, {}
  for j = 0, #b do previous[j] = j end
  for i = 1, #a do
    local row = { [0] = i }
    for j = 1, #b do
      local same = a:byte(i) == b:byte(j)
      local d = math.min(previous[j] + 1, row[j - 1] + 1,
                         previous[j - 1] + (same and 0 or 1))
      if i > 1 and j > 1 and a:byte(i) == b:byte(j - 1) and
         a:byte(i - 1) == b:byte(j) then
        d = math.min(d, before[j - 2] + 1)
      end
      row[j] = d
    end
    before, previous = previous, row
  end
  return previous[#b]
end

local function contains(longer, shorter)
  return #shorter >= 3 and longer:find(shorter, 1, true) ~= nil
end

-- The best of `names` (a list), or nil if none is near.  What was refused is
-- none of them, nor is what `accepts(candidate)` refuses.
function M.nearest(name, names, accepts)
  local best, best_score
  local refused = tostring(name)
  local plain = refused:lower()
  for _, candidate in ipairs(names) do
    local usable = not accepts or accepts(candidate)
    candidate = tostring(candidate)
    local lower = candidate:lower()
    local d = M.distance(plain, lower)
    if d > math.max(1, #candidate // 3) then
      local near = contains(lower, plain) or contains(plain, lower)
      d = near and 100 + math.abs(#candidate - #plain) or nil
    end
    usable = usable and candidate ~= refused
    if d and usable and (not best or d < best_score or
              d == best_score and candidate < best) then
      best, best_score = candidate, d
    end
  end
  return best
end

-- The end of a message: "; did you mean 'x'?", or what there is if that is
-- little, or nothing.
function M.hint(name, names, accepts)
  local best = M.nearest(name, names, accepts)
  if best then return ("; did you mean '%s'?"):format(best) end
  if #names > 0 and #names <= 24 then
    local sorted, seen = {}, {}
    for _, one in ipairs(names) do
      if not seen[one] then sorted[#sorted + 1] = one end
      seen[one] = true
    end
    table.sort(sorted)
    return "; there is " .. table.concat(sorted, ", ")
  end
  return ""
end

return M
