-- Claims of papers, and what a run says of them.
--
-- examples/papers/PAPER/claims.lua returns a list of
--   says     the statement, in our words
--   where    in the paper: "section 6.1, figure 12"
--   figure   script whose columns decide: "fig12" (or "table3")
-- and one of
--   value    function(t): a number, to be compared with `paper`
--              neutral   what no effect would be (1 for a speedup): the
--                        claim is about the distance from it
--   larger   function(t): two numbers, the first of which should be larger
--   order    function(t): a list of { NAME, number }, which should fall
--   share    function(t): how many of how many should be so
--   untested why it cannot be tested
--
-- Rules, the same for all:
--   value with neutral   the same side of it: "holds" if the distance is
--                        within a factor of 2 of the paper's, else "weakly";
--                        no distance (under 0.5 %) or the other side: not
--   value without        within 15 % (or `within`) "holds", within 50 %
--                        (10/3 of it) "weakly"
--   larger               by 0.5 % at least "holds", less than that apart
--                        "weakly"
--   order                all neighbours in order "holds" (0.5 % apart or not),
--                        half of all pairs "weakly"
--   share                all "holds", more than half "weakly"
-- A number that is not there (a failed point) is "cannot be tested".

local M = {}

M.verdicts = { "holds", "weakly", "does not", "untested" }
M.names = { holds = "holds", weakly = "holds weakly",
            ["does not"] = "does not hold", untested = "cannot be tested" }

local SMALL = 0.005

local function is_number(x) return type(x) == "number" and x == x end

local function text(x)
  return is_number(x) and ("%.4g"):format(x) or "none"
end

local kinds = {}

function kinds.value(claim, ours)
  local says = text(ours)
  if not is_number(ours) then return "untested", says end
  if claim.neutral then
    local a, b = ours - claim.neutral, claim.paper - claim.neutral
    if math.abs(a) < SMALL * math.max(math.abs(claim.neutral), 1) or
       (a > 0) ~= (b > 0) then
      return "does not", says
    end
    local factor = a / b
    return factor >= 0.5 and factor <= 2 and "holds" or "weakly", says
  end
  local off = math.abs(ours - claim.paper) / math.abs(claim.paper)
  local near = claim.within or 0.15
  return off <= near and "holds" or off <= near * 10 / 3 and "weakly" or
         "does not", says
end

function kinds.larger(_, a, b)
  local says = ("%s against %s"):format(text(a), text(b))
  if not (is_number(a) and is_number(b)) then return "untested", says end
  local scale = math.max(math.abs(a), math.abs(b))
  if math.abs(a - b) <= SMALL * scale then return "weakly", says end
  return a > b and "holds" or "does not", says
end

function kinds.order(_, list)
  local parts, pairs_all, pairs_right, neighbours = {}, 0, 0, true
  for i, one in ipairs(list) do
    parts[i] = ("%s %s"):format(one[1], text(one[2]))
    if not is_number(one[2]) then return "untested", table.concat(parts, ", ")
    end
    for k = 1, i - 1 do
      local right = list[k][2] >= one[2] * (1 - SMALL)
      pairs_all = pairs_all + 1
      pairs_right = pairs_right + (right and 1 or 0)
      if k == i - 1 and not right then neighbours = false end
    end
  end
  local says = table.concat(parts, ", ")
  if neighbours then return "holds", says end
  return pairs_right * 2 >= pairs_all and "weakly" or "does not", says
end

function kinds.share(_, right, all)
  local says = ("%s of %s"):format(tostring(right), tostring(all))
  if not (is_number(right) and is_number(all)) or all == 0 then
    return "untested", says
  end
  return right == all and "holds" or right * 2 > all and "weakly" or
         "does not", says
end

-- What is wrong with a claim; nil if nothing is.
function M.mistake(claim)
  if type(claim) ~= "table" then return "is no table" end
  for _, key in ipairs { "says", "where" } do
    if type(claim[key]) ~= "string" then return "has no '" .. key .. "'" end
  end
  local count = 0
  for kind in next, kinds do
    if claim[kind] ~= nil then
      count = count + 1
      if type(claim[kind]) ~= "function" then
        return ("'%s' is no function"):format(kind)
      end
    end
  end
  if claim.untested then
    return count > 0 and "is untested, and says how to test it" or nil
  end
  if count ~= 1 then
    return "needs one of value, larger, order, share, untested"
  end
  if type(claim.figure) ~= "string" then return "has no 'figure'" end
  if claim.value and type(claim.paper) ~= "number" then
    return "has no number of the paper's, 'paper'"
  end
end

-- { verdict =, ours =, paper = } of a claim with the columns of its figure.
function M.judge(claim, t)
  if claim.untested then
    return { verdict = "untested", ours = claim.untested, paper = "" }
  end
  local out = { paper = claim.paper and text(claim.paper) or "" }
  if not t then
    out.verdict, out.ours = "untested", claim.figure .. " was not run"
    return out
  end
  for kind, rule in next, kinds do
    if claim[kind] then
      local got = table.pack(pcall(claim[kind], t))
      if not got[1] then
        error(("claim '%s': %s"):format(claim.says, tostring(got[2])), 0)
      end
      out.verdict, out.ours = rule(claim, table.unpack(got, 2, got.n))
    end
  end
  return out
end

-- Counts of verdicts of a list of results.
function M.count(results)
  local n = {}
  for _, name in ipairs(M.verdicts) do n[name] = 0 end
  for _, one in ipairs(results) do n[one.verdict] = n[one.verdict] + 1 end
  return n
end

return M
