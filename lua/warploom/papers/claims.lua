-- Claims of papers, and what a run says of them.
--
-- examples/papers/PAPER/claims.lua returns a list of
--   says      the statement, in our words
--   where     in the paper: "section 6.1, figure 12"
--   figure    script whose columns decide: "fig12" (or "table3")
-- and one of
--   effect    function(t): a number whose distance from `neutral` (1 for a
--             speedup) is the claim; `paper`: the paper's number
--   value     function(t): a number, which should be `paper`
--   at_most, at_least
--             function(t): a number that `paper` bounds; with `neutral` the
--             bound is of an effect ("loses at most 5 %": at_least, 0.95, 1)
--   within    function(t): a list of { NAME, number }, all of which should be
--             no further than `by` from `paper`
--   larger    function(t): two numbers, the first of which should be larger
--   order     function(t): a list of { NAME, number }, which should fall
--   share     function(t): how many of how many should be so; `most`: more
--             than half of them should
--   equal     function(t): a number that should be exactly `paper`
--   untested  why it cannot be tested
-- Where a number stands a column with one value may, whose error counts.
-- More of a claim:
--   why       the mechanism of a disagreement: text, or { script =, says =,
--             with = function(t) }: a script "why-NAME" in which it is changed,
--             or a figure that shows it,
--             and what the claim's function gives then
--   by_construction
--             it follows from parameters: it is checked and not counted
--   headline  it is what the paper is known for; one of a paper
--   range     { figure =, numbers = function(t) }: the same number for other
--             readings of what the paper leaves open, { NAME, number } each
--
-- Rules, the same for all:
--   effect    "holds" from 75 % of the paper's effect to 150 % of it, "partly"
--             from 25 % of it on, else "does not"
--   value     "holds" within 10 % (or `near`), "partly" within 2.5 times that
--   bounds    "holds" inside; "partly" if the bound's effect is passed by a
--             quarter of it at most (without neutral: by 10 % of the bound)
--   within    "holds" if all are; "partly" if the worst is off by 1.25 times
--             as much at most
--   larger    by 0.5 % at least "holds"; less than that apart "partly"
--   order     all neighbours "holds" (0.5 % apart or not); three quarters of
--             all pairs "partly"
--   share     all "holds", three quarters "partly"; of `most` there is no part
--   equal     "holds" or "does not"
-- A number from sampled runs is an interval of 95 %: where the verdict depends
-- on where in it the truth is, it is "undecided".  A number that is not there
-- (a failed point) is "untested".

local import = ...
local column = import "sweep/column"

local M = {}

M.verdicts = { "holds", "partly", "does not", "undecided", "construction",
               "untested" }
M.names = { holds = "holds", partly = "holds partly",
            ["does not"] = "does not hold", undecided = "undecided",
            construction = "by construction", untested = "cannot be tested" }

-- Half of a 95 % interval, in standard errors.
local INTERVAL = 1.96
local SMALL = 0.005
local MOST, LEAST, PART = 1.5, 0.75, 0.25 -- of an effect

local function is_number(x) return type(x) == "number" and x == x end

local function plain(x)
  return is_number(x) and ("%.4g"):format(x) or "none"
end

-- A number, and half of its interval: of a column's only value, or the number
-- itself.
local function number_of(x)
  if column.is(x) then return x:value(), INTERVAL * x:error() end
  return x, 0
end

local function text(x, half)
  return plain(x) .. (is_number(half) and half > 0 and
                      (" +- %.2g"):format(half) or "")
end

-- The verdict of all of an interval, or "undecided".
local function over(rule, x, half)
  local verdict = rule(x)
  if half == 0 then return verdict end
  if half ~= half or rule(x - half) ~= verdict or
     rule(x + half) ~= verdict then
    return "undecided"
  end
  return verdict
end

local kinds = {}

function kinds.effect(claim, given)
  local ours, half = number_of(given)
  local says = text(ours, half)
  if not is_number(ours) then return "untested", says end
  local whole = claim.paper - claim.neutral
  return over(function(x)
    local part = (x - claim.neutral) / whole
    return part >= LEAST and part <= MOST and "holds" or
           part >= PART and "partly" or "does not"
  end, ours, half), says
end

function kinds.value(claim, given)
  local ours, half = number_of(given)
  local says = text(ours, half)
  if not is_number(ours) then return "untested", says end
  local near = claim.near or 0.1
  return over(function(x)
    local off = math.abs(x - claim.paper) / math.abs(claim.paper)
    return off <= near and "holds" or off <= 2.5 * near and "partly" or
           "does not"
  end, ours, half), says
end

-- `sign` 1: at most, -1: at least.
local function bound(claim, given, sign)
  local ours, half = number_of(given)
  local says = text(ours, half)
  if not is_number(ours) then return "untested", says end
  local slack = claim.neutral and PART * math.abs(claim.paper - claim.neutral)
                or 0.1 * math.abs(claim.paper)
  return over(function(x)
    local beyond = sign * (x - claim.paper)
    return beyond <= 0 and "holds" or beyond <= slack and "partly" or
           "does not"
  end, ours, half), says
end
function kinds.at_most(claim, given) return bound(claim, given, 1) end
function kinds.at_least(claim, given) return bound(claim, given, -1) end

function kinds.within(claim, list)
  local worst, off, half = nil, -1, 0
  for _, one in ipairs(list) do
    local x, more = number_of(one[2])
    if not is_number(x) then return "untested", one[1] .. " none" end
    if math.abs(x - claim.paper) > off then
      worst, off, half = one, math.abs(x - claim.paper), more
    end
  end
  if not worst then return "untested", "none" end
  return over(function(x)
    return x <= claim.by and "holds" or x <= 1.25 * claim.by and "partly" or
           "does not"
  end, off, half), ("%s %s is the furthest of %d"):format(worst[1],
                   text(number_of(worst[2])), #list)
end

function kinds.larger(_, first, second)
  local a, ha = number_of(first)
  local b, hb = number_of(second)
  local says = ("%s against %s"):format(text(a, ha), text(b, hb))
  if not (is_number(a) and is_number(b)) then return "untested", says end
  local scale = math.max(math.abs(a), math.abs(b))
  return over(function(difference)
    if math.abs(difference) <= SMALL * scale then return "partly" end
    return difference > 0 and "holds" or "does not"
  end, a - b, math.sqrt(ha * ha + hb * hb)), says
end

-- The order of numbers that are what they are, `by` of their intervals apart.
local function in_order(list)
  local all, right, neighbours = 0, 0, true
  for i = 2, #list do
    for k = 1, i - 1 do
      local good = list[k] >= list[i] * (1 - SMALL)
      all, right = all + 1, right + (good and 1 or 0)
      if k == i - 1 and not good then neighbours = false end
    end
  end
  return neighbours and "holds" or right >= LEAST * all and "partly" or
         "does not"
end

function kinds.order(_, list)
  local parts, values, kind, against = {}, {}, {}, {}
  for i, one in ipairs(list) do
    local x, half = number_of(one[2])
    parts[i] = ("%s %s"):format(one[1], text(x, half))
    if not is_number(x) then return "untested", table.concat(parts, ", ") end
    -- In favour of the order, and against it.
    local shift = (#list + 1 - 2 * i) / math.max(#list - 1, 1) * half
    values[i], kind[i], against[i] = x, x + shift, x - shift
  end
  local verdict = in_order(values)
  if in_order(kind) ~= verdict or in_order(against) ~= verdict then
    verdict = "undecided"
  end
  return verdict, table.concat(parts, ", ")
end

function kinds.share(claim, right, all)
  local says = ("%s of %s"):format(tostring(right), tostring(all))
  if not (is_number(right) and is_number(all)) or all == 0 then
    return "untested", says
  end
  if claim.most then return right * 2 > all and "holds" or "does not", says end
  return right == all and "holds" or right >= LEAST * all and "partly" or
         "does not", says
end

function kinds.equal(claim, given)
  local ours = number_of(given)
  if not is_number(ours) then return "untested", plain(ours) end
  return ours == claim.paper and "holds" or "does not", plain(ours)
end

-- Kinds that compare with the paper's number, and what else they need.
local needs = { effect = { "paper", "neutral" }, value = { "paper" },
                at_most = { "paper" }, at_least = { "paper" },
                within = { "paper", "by" }, equal = { "paper" } }

local fields = { says = "string", where = "string", figure = "string",
                 paper = "number", neutral = "number",
                 near = "number", by = "number", most = "boolean",
                 by_construction = "boolean", headline = "boolean",
                 untested = "string", range = "table" }

local why_fields = { script = "string", says = "string", with = "function" }

local function kinds_of(claim)
  local found = {}
  for kind in next, kinds do
    if claim[kind] ~= nil then found[#found + 1] = kind end
  end
  return found
end

-- What is wrong with a claim; nil if nothing is.
function M.mistake(claim)
  if type(claim) ~= "table" then return "is no table" end
  for _, key in ipairs { "says", "where" } do
    if type(claim[key]) ~= "string" then return "has no '" .. key .. "'" end
  end
  local names = {}
  for key in next, claim do names[#names + 1] = tostring(key) end
  table.sort(names)
  for _, key in ipairs(names) do
    local want = kinds[key] and "function" or fields[key] or
                 key == "why" and type(claim.why)
    if not want then return ("has '%s', which no claim has"):format(key) end
    if type(claim[key]) ~= want then
      return ("'%s' is no %s"):format(key, want)
    end
  end
  local found = kinds_of(claim)
  if claim.untested then
    return #found > 0 and "is untested, and says how to test it" or nil
  end
  if #found ~= 1 then
    local list = {}
    for kind in next, kinds do list[#list + 1] = kind end
    table.sort(list)
    return ("needs one of %s, untested"):format(table.concat(list, ", "))
  end
  if not claim.figure then return "has no 'figure'" end
  for _, key in ipairs(needs[found[1]] or {}) do
    if not claim[key] then
      return key == "paper" and "has no number of the paper's, 'paper'" or
             ("has no '%s'"):format(key)
    end
  end
  local why, range = claim.why, claim.range
  if type(why) == "table" then
    for key, want in next, why_fields do
      if type(why[key]) ~= want then
        return ("has a 'why' whose '%s' is no %s"):format(key, want)
      end
    end
  elseif why ~= nil and type(why) ~= "string" then
    return "has a 'why' that is neither text nor a table"
  end
  if range and (type(range.figure) ~= "string" or
                type(range.numbers) ~= "function") then
    return "has a 'range' without figure and numbers"
  end
  if found[1] == "effect" and claim.paper == claim.neutral then
    return "is an effect that the paper does not have"
  end
end

-- { verdict =, ours =, paper = } of a claim with the columns of its figure;
-- of a headline number and half of its interval, too.
function M.judge(claim, t)
  if claim.untested then
    return { verdict = "untested", ours = claim.untested, paper = "" }
  end
  local out = { paper = claim.paper and plain(claim.paper) or "" }
  if not t then
    out.verdict, out.ours = "untested", claim.figure .. " was not run"
    return out
  end
  local kind = kinds_of(claim)[1]
  local got = table.pack(pcall(claim[kind], t))
  if not got[1] then
    error(("claim '%s': %s"):format(claim.says, tostring(got[2])), 0)
  end
  out.verdict, out.ours = kinds[kind](claim, table.unpack(got, 2, got.n))
  if claim.by_construction and
     (out.verdict == "holds" or out.verdict == "partly") then
    out.verdict = "construction"
  end
  if claim.headline or got.n == 2 then -- one number
    local x, half = number_of(got[2])
    out.number = is_number(x) and x or nil
    out.half = out.number and half
  end
  return out
end

-- What a claim's `why` says, with the columns of its script, or nil if that was
-- not run: text, with the number and the verdict that the claim then has.
function M.reason(claim, t)
  local why = claim.why
  if type(why) ~= "table" then return why end
  if not t then
    return ("%s (%s was not run)"):format(why.says, why.script)
  end
  local kind = kinds_of(claim)[1]
  local got = table.pack(pcall(why.with, t))
  if not got[1] then
    error(("why of claim '%s': %s"):format(claim.says, tostring(got[2])), 0)
  end
  local verdict, says = kinds[kind](claim, table.unpack(got, 2, got.n))
  return ("%s: %s, which %s (%s)"):format(why.says, says,
    M.names[verdict]:gsub("^cannot be tested$", "says nothing"), why.script)
end

-- The smallest and the largest { name =, number =, text = } of a claim's range,
-- and a list of all; `t`: columns of the range's figure.
function M.range(claim, t)
  local low, high, list = nil, nil, {}
  for i, one in ipairs(claim.range.numbers(t)) do
    local x, half = number_of(one[2])
    local found = { name = one[1], number = x, text = text(x, half) }
    list[i] = found
    if is_number(x) then
      if not low or x < low.number then low = found end
      if not high or x > high.number then high = found end
    end
  end
  return low, high, list
end

-- How much of the paper's effect a headline's number is.
function M.part(claim, x)
  return (x - claim.neutral) / (claim.paper - claim.neutral)
end

-- Counts of verdicts of a list of results.
function M.count(results)
  local n = {}
  for _, name in ipairs(M.verdicts) do n[name] = 0 end
  for _, one in ipairs(results) do n[one.verdict] = n[one.verdict] + 1 end
  return n
end

return M
