-- What `warploom papers --json` prints.

local import = ...
local json = import "base/json"
local claims = import "papers/claims"

local M = {}

-- A list; one without entries is a list, too.
local function list(of) return #of > 0 and of or json.empty end

local function or_null(value)
  return value ~= nil and value == value and value or json.null
end

-- A verdict about one claim: `ours` is what the report says, `number` that as a
-- number where it is one, `half` the half of its 95 % interval.
local function judged(one)
  local claim = one.claim
  return { says = claim.says, where = or_null(claim.where),
    figure = or_null(claim.figure), paper = or_null(claim.paper),
    ours = one.ours, number = or_null(one.number),
    half = or_null(one.half), verdict = claims.names[one.verdict],
    why = or_null(one.reason), headline = claim.headline == true }
end

local function figure(one)
  local n = one.counts or {}
  return { name = one.name, results = one.link, status = one.status or 0,
    points = n.points or 0, run = n.run or 0, shared = n.stored or 0,
    before = n.before or 0, failed = n.failed or 0 }
end

local function paper(made)
  local results, figures, counts = {}, {}, {}
  for i, one in ipairs(made.results) do results[i] = judged(one) end
  for i, one in ipairs(made.figures) do figures[i] = figure(one) end
  local n = claims.count(made.results)
  for _, name in ipairs(claims.verdicts) do
    counts[claims.names[name]] = n[name]
  end
  return { paper = made.name, title = made.title, claims = list(results),
           figures = list(figures), counts = counts }
end

function M.text(made, folder, status)
  local papers = {}
  for i, one in ipairs(made) do papers[i] = paper(one) end
  return json.encode { folder = folder, status = status,
                       papers = list(papers) }
end

-- Of --list: each paper and its figures.
function M.names(papers)
  local out = {}
  for i, one in ipairs(papers) do
    out[i] = { paper = one.name, figures = list(one.figures) }
  end
  return json.encode(list(out))
end

return M
