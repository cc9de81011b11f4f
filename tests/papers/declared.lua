-- Every claim and figure of examples/papers is well declared: claims name
-- figures that exist and say how they are tested, and there are as many as
-- each paper should have.
--
-- usage: warploom --unsafe declared.lua SOURCE_DIR
local loom = require "warploom"
local import = require "warploom.import"
local papers = import "papers/papers"
local claims = import "papers/claims"

local root = arg[1]
local least = { apcm = 20, sl1 = 12, ["two-level"] = 6, dacache = 12,
                loscache = 6 }
local checked, missing = 0, {}
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
      assert(claims.judge(claim, nil).verdict == "untested")
      checked = checked + 1
    end
  end
end
assert(checked >= 40)
print(("%d claims are well declared%s"):format(checked, #missing > 0 and
  "; no claims yet: " .. table.concat(missing, ", ") or ""))
assert(loom)
