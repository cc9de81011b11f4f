-- Every claim and figure of examples/papers is well declared: claims name
-- figures that exist and say how they are tested, and there are as many as
-- each paper should have.  docs/paper-results.md, if it is there, has a line
-- for each of them and no others.
--
-- usage: warploom --unsafe declared.lua SOURCE_DIR
local loom = require "warploom"
local import = require "warploom.import"
local papers = import "papers/papers"
local claims = import "papers/claims"

local root = arg[1]
local least = { apcm = 20, sl1 = 12, ["two-level"] = 6, dacache = 12,
                loscache = 6 }
local checked, missing, headlines = 0, {}, 0
local page = io.open(root .. "/docs/paper-results.md", "rb")
local text = page and page:read("a")
if page then page:close() end
for _, paper in ipairs(papers.known) do
  local texts = papers.sources(paper.name, root .. "/examples/papers")
  local figures = {}
  for _, name in ipairs(papers.figures_of(texts)) do figures[name] = true end
  if not texts["claims.lua"] then
    missing[#missing + 1] = paper.name
  else
    local list = assert(papers.read_claims(root .. "/examples/papers/" ..
                                           paper.name, texts))
    assert(#list >= least[paper.name], ("%s: %d claims, expected %d"):format(
      paper.name, #list, least[paper.name]))
    for _, claim in ipairs(list) do
      assert(claim.untested or figures[claim.figure],
             ("%s: '%s' is about %s, which is not there"):format(paper.name,
             claim.says, tostring(claim.figure)))
      assert(type(claim.why) ~= "table" or figures[claim.why.script],
             ("%s: the reason of '%s' is a script that is not there"):format(
             paper.name, claim.says))
      assert(claims.judge(claim, nil).verdict == "untested")
      headlines = headlines + (claim.headline and 1 or 0)
      local row = "\n| " .. claim.says:gsub("|", "\\|") .. " | "
      assert(not text or text:find(row, 1, true),
             ("%s: '%s' is not in docs/paper-results.md"):format(paper.name,
             claim.says))
      checked = checked + 1
    end
  end
end
assert(checked >= 40 and headlines == #papers.known - #missing)
local verdicts, rows = {}, 0
for _, name in pairs(claims.names) do verdicts[name] = true end
for line in (text or ""):gmatch "[^\n]+" do
  local last = line:match "| ([^|]+) |$"
  if verdicts[last] and not line:find "^| paper |" then rows = rows + 1 end
end
assert(not text or rows == checked, ("docs/paper-results.md has %d claims, " ..
       "there are %d"):format(rows, checked))
print(("%d claims are well declared%s"):format(checked, #missing > 0 and
  "; no claims yet: " .. table.concat(missing, ", ") or "") ..
  (text and "" or "; there is no docs/paper-results.md"))
assert(loom)
