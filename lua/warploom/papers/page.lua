-- The report of `warploom papers`: one HTML page, and the same numbers as
-- Markdown for docs/paper-results.md.

local import = ...
local core = import "core"
local results = import "look/results"
local merged = import "look/merged"
local page = import "look/page"
local words = import "look/words"
local claims = import "papers/claims"
local write = import "papers/write"

local M = {}

local classes = { holds = "good", partly = "fair", ["does not"] = "bad",
                  undecided = "none", construction = "none",
                  untested = "none" }
local style = [[<style>
.claims td { white-space: normal }
.claims td.verdict { white-space: nowrap; font-weight: bold }
.good { color: #00694c } .fair { color: #8a5a00 }
.bad { color: #a32a00 } .none { color: #5b5b5b }
</style>]]

-- The results of headlines, with their papers.
local function headlines(made)
  local list = {}
  for _, paper in ipairs(made) do
    for _, one in ipairs(paper.results) do
      if one.claim.headline then list[#list + 1] = { paper, one } end
    end
  end
  return list
end

-- "0.9 (threshold 4) to 1.3 (default)", or nothing.
local function range_of(one)
  if not one.low then return "" end
  return ("%.4g (%s) to %.4g (%s)"):format(one.low.number, one.low.name,
    one.high.number, one.high.name)
end

-- Each paper's headline: how much of its effect is here, with the interval of
-- sampled runs.
local function headline_chart(made)
  local bars = {}
  for _, verdict in ipairs(claims.verdicts) do
    local found = false
    for _, pair in ipairs(headlines(made)) do
      found = found or pair[2].number ~= nil and pair[2].verdict == verdict
    end
    if found then bars[#bars + 1] = claims.names[verdict] end
  end
  local figure = { kind = "bars", title = "How much of each paper's headline" ..
    " is found here", y = "part of the paper's effect", unit = "1",
    groups = {}, bars = bars, segments = { "" }, value = {},
    errors = {}, reference = 1,
    note = "1 is the paper's number, 0 no effect at all." }
  for _, pair in ipairs(headlines(made)) do
    local paper, one = pair[1], pair[2]
    if one.number then
      local g = #figure.groups + 1
      figure.groups[g] = paper.name
      figure.value[g], figure.errors[g] = {}, {}
      for b, name in ipairs(figure.bars) do
        local mine = name == claims.names[one.verdict]
        figure.value[g][b] = { mine and claims.part(one.claim, one.number) or
                               0 / 0 }
        figure.errors[g][b] = mine and one.half / 1.96 /
          math.abs(one.claim.paper - one.claim.neutral) or nil
      end
    end
  end
  return #figure.groups > 0 and figure or nil
end

-- Our number, and the one of admitted benchmarks where that is another.
local function ours_of(one)
  if not one.admitted then return one.ours end
  return ("%s; of admitted benchmarks %s (%s)"):format(one.ours,
    one.admitted.ours, claims.names[one.admitted.verdict])
end

local function anchor(paper, name) return paper.name .. "-" .. name end

------------------------------------------------------------------------------
-- HTML

local function headline_table(made)
  local out = { '<div class="wide claims"><table><tr><th>paper</th>' ..
    "<th>headline</th><th>paper's number</th><th>here</th>" ..
    "<th>other readings of what it leaves open</th><th>verdict</th></tr>" }
  for _, pair in ipairs(headlines(made)) do
    local paper, one = pair[1], pair[2]
    out[#out + 1] = ('<tr><td><a href="#%s">%s</a></td><td>%s</td>' ..
      '<td class="n">%s</td><td class="n">%s</td><td>%s</td>' ..
      '<td class="verdict %s">%s</td></tr>'):format(paper.name, paper.name,
      words.escape(one.claim.says), one.paper, words.escape(one.ours),
      words.escape(range_of(one)), classes[one.verdict],
      claims.names[one.verdict])
  end
  out[#out + 1] = "</table></div>"
  return table.concat(out, "\n")
end

local function first_page(made)
  local chart = headline_chart(made)
  local out = { "<h2>What holds</h2>", chart and page.figure(chart) or "",
                #headlines(made) > 0 and headline_table(made) or "",
                '<div class="wide"><table>',
                "<tr><th>paper</th><th>claims</th>" }
  for _, verdict in ipairs(claims.verdicts) do
    out[#out + 1] = "<th>" .. claims.names[verdict] .. "</th>"
  end
  out[#out + 1] = "</tr>"
  for _, paper in ipairs(made) do
    local n = claims.count(paper.results)
    out[#out + 1] = ('<tr><td><a href="#%s">%s</a></td><td class="n">%d</td>')
      :format(paper.name, words.escape(paper.title), #paper.results)
    for _, verdict in ipairs(claims.verdicts) do
      out[#out + 1] = ('<td class="n">%d</td>'):format(n[verdict])
    end
    out[#out + 1] = "</tr>"
  end
  out[#out + 1] = "</table></div>"
  out[#out + 1] = "<p>An effect holds from 75 to 150 % of the paper's, and " ..
    "partly from 25 % on; other numbers hold within 10 %, partly within " ..
    "25 %; a bound holds partly if it is passed by a quarter of its " ..
    "effect; a comparison, if the two are less than 0.5 % apart; an order, " ..
    "if three quarters of its pairs are right; a statement about several " ..
    "benchmarks, if it is true of three quarters of them. Where the " ..
    "interval of sampled runs leaves two verdicts, none is given.</p>"
  return table.concat(out, "\n")
end

local function claim_table(list)
  local out = { '<div class="wide claims"><table><tr>' ..
                "<th>the paper says</th>" ..
                "<th>where</th><th>paper</th><th>here</th>" ..
                "<th>verdict</th></tr>" }
  for _, one in ipairs(list) do
    local why = one.reason and "<br><small>" ..
                words.escape(one.reason) .. "</small>" or ""
    out[#out + 1] = ('<tr><td>%s%s</td><td>%s</td><td class="n">%s</td>' ..
      '<td>%s</td><td class="verdict %s">%s</td></tr>'):format(
      words.escape(one.claim.says), why, words.escape(one.claim.where),
      one.paper, words.escape(ours_of(one)), classes[one.verdict],
      claims.names[one.verdict])
  end
  out[#out + 1] = "</table></div>"
  return table.concat(out, "\n")
end

local function of_figure(paper, name)
  local list = {}
  for _, one in ipairs(paper.results) do
    if one.claim.figure == name then list[#list + 1] = one end
  end
  return list
end

-- What a script says should be drawn; all derived columns if it says nothing.
local function charts(figure, undrawn)
  local file, why = results.open(figure.file)
  if not file then
    undrawn[#undrawn + 1] = why
    return { "<p>" .. words.escape(why) .. "</p>" }, 0
  end
  local requests = figure.experiment.figures
  if #requests == 0 then
    for _, column in ipairs(merged.columns(file)) do
      if column.root == "derived" then
        requests = table.move(requests, 1, #requests, 1, {})
        requests[#requests + 1] = { column = column.name }
      end
    end
  end
  local out, count = {}, 0
  for _, one in ipairs(requests) do
    local chart, reason = results.guard(merged.make, { files = { file },
      patterns = { one.column }, by = one.by, kind = one.kind,
      only = one.only, mean = one.mean, share = one.share })
    if chart then
      chart.title = one.title or chart.title
      chart.note = one.note or chart.note
      chart.y = one.y or chart.y
      out[#out + 1] = page.figure(chart)
      count = count + 1
    else
      undrawn[#undrawn + 1] = reason
      out[#out + 1] = "<p>" .. words.escape(reason) .. "</p>"
    end
  end
  file:close()
  return out, count
end

local function figure_section(p, paper, figure)
  p[#p + 1] = ('<h3 id="%s">%s: %s</h3>'):format(anchor(paper, figure.name),
    figure.name, words.escape(figure.experiment and figure.experiment.doc or
                              "could not be run"))
  if not figure.experiment then return end
  local n = figure.counts
  p[#p + 1] = ('<p class="note">%d points%s; <a href="%s">%s</a></p>'):format(
    n.points, n.failed > 0 and (", %d failed"):format(n.failed) or "",
    words.escape(figure.link), words.escape(figure.link))
  if figure.experiment.differs then
    p[#p + 1] = "<p>Set-up: " .. words.escape(figure.experiment.differs) ..
                "</p>"
  end
  local drawn, count = charts(figure, p.undrawn)
  table.move(drawn, 1, #drawn, #p + 1, p)
  p.count = p.count + count
  local list = of_figure(paper, figure.name)
  if #list > 0 then p[#p + 1] = claim_table(list) end
end

-- What a paper leaves open: rows of a parameter, what the paper says of it and
-- where, what we take, and the headline for each reading of it.
local function open_rows(paper)
  local by_name = {}
  for _, one in ipairs((paper.headline or {}).readings or {}) do
    by_name[one.name] = one.text
  end
  local rows = {}
  for i, one in ipairs(paper.open or {}) do
    local parts = {}
    for k, reading in ipairs(write.readings { one }) do
      parts[k] = ("%s: %s"):format(reading.name,
                                   by_name[reading.name] or "not run")
    end
    rows[i] = { one.parameter, one.says, one.where, tostring(one.default),
                table.concat(parts, "; ") }
  end
  return rows
end
local open_head = { "left open", "the paper says", "where", "here",
                    "the headline with other readings" }

-- The benchmarks of the headline's figure: can they carry its claim?  A head,
-- and rows, of which there may be none.
local function admission_table(paper)
  local figure = (paper.headline or {}).figure
  local head = { "benchmark", "time with nine of ten SMs busy",
                 "waves of the main kernel", "its part of the time" }
  local own, rows = paper.own_names or {}, {}
  for _, name in ipairs(own) do head[#head + 1] = name:gsub("_", " ") end
  head[#head + 1] = "admitted"
  for i, bench in ipairs(figure and figure.order or {}) do
    local one = figure.admission[bench]
    local row = { bench, ("%.0f %%"):format(100 * one.wide),
                  ("%.2g"):format(one.waves),
                  ("%.0f %%"):format(100 * one.main) }
    for _, name in ipairs(own) do
      row[#row + 1] = ("%.4g"):format(paper.own[name]:value { bench = bench })
    end
    row[#row + 1] = one.admitted and "yes" or "no"
    rows[i] = row
  end
  return head, rows
end

local function paper_section(p, paper)
  p[#p + 1] = ('<h2 id="%s">%s</h2>'):format(paper.name,
                                             words.escape(paper.title))
  local head, admitted = admission_table(paper)
  if #admitted > 0 then
    p[#p + 1] = page.table { head, table.unpack(admitted) }
  end
  if paper.open then
    p[#p + 1] = page.table { open_head, table.unpack(open_rows(paper)) }
  end
  for _, figure in ipairs(paper.figures) do figure_section(p, paper, figure)
  end
  local rest = {}
  for _, one in ipairs(paper.results) do
    local shown = false
    for _, figure in ipairs(paper.figures) do
      shown = shown or figure.name == one.claim.figure
    end
    if not shown then rest[#rest + 1] = one end
  end
  if #rest > 0 then
    p[#p + 1] = "<h3>Other statements</h3>"
    p[#p + 1] = claim_table(rest)
  end
end

local function html(made, options)
  local p = { count = 0, undrawn = {} }
  p[1] = style .. "<h1>The papers' figures</h1>"
  local links = {}
  for i, paper in ipairs(made) do
    links[i] = ('<a href="#%s">%s</a>'):format(paper.name,
                                               words.escape(paper.name))
  end
  p[2] = "<nav>" .. table.concat(links) .. "</nav>"
  p[3] = ("<p>warploom %s, size %s, %s</p>"):format(core.version,
    words.escape(options.set.size or "of each script"), os.date("!%Y-%m-%d"))
  p[4] = first_page(made)
  p.count = headline_chart(made) and 1 or 0
  p[5] = page.hint
  for _, paper in ipairs(made) do paper_section(p, paper) end
  return page.page("The papers' figures", table.concat(p, "\n")), p
end

------------------------------------------------------------------------------
-- Markdown

local function cell(text) return (tostring(text):gsub("|", "\\|")) end

-- What the processor calls itself.
local function processor()
  local file = io.open("/proc/cpuinfo", "r")
  local text = file and file:read("a") or ""
  if file then file:close() end
  return text:match("model name%s*:%s*([^\n]+)") or "a processor"
end

-- When, at which size and where a paper was run.
local function provenance(paper, options)
  local points, failed = 0, 0
  for _, figure in ipairs(paper.figures) do
    points = points + (figure.counts and figure.counts.points or 0)
    failed = failed + (figure.counts and figure.counts.failed or 0)
  end
  return ("Run on %s, warploom %s, size `%s`%s, %d points%s; %s, %d " ..
          "processors, gcc %s."):format(os.date("!%Y-%m-%d"), core.version,
    options.set.size or "small", options.sample and ", sampled" or "", points,
    failed > 0 and (", %d of them failed"):format(failed) or "", processor(),
    core.processors(), core.compiler)
end

local page_head = { "# What holds of the papers' claims", "",
  "Every claim of the papers that `warploom papers` tests, and what came " ..
  "out. Generated by it,", "as `results.md` of its folder; do not edit. " ..
  "[papers.md](papers.md) says how the", "verdicts are reached. Papers can " ..
  "be run one at a time: each says when it was.", "",
  "| paper | claims | holds | holds partly | does not hold | undecided " ..
  "| by construction | cannot be tested |",
  "|---|---|---|---|---|---|---|---|" }
local headline_head = { "", "Headlines:", "",
  "| paper | headline | paper's number | here | of its effect | " ..
  "other readings | verdict |", "|---|---|---|---|---|---|---|" }

local function count_row(paper)
  local n = claims.count(paper.results)
  return ("| %s | %d | %d | %d | %d | %d | %d | %d |"):format(
    cell(paper.title), #paper.results, n.holds, n.partly, n["does not"],
    n.undecided, n.construction, n.untested)
end

local function headline_row(paper)
  local one = paper.headline
  if not one then return "" end
  return ("| %s | %s | %s | %s | %s | %s | %s. |"):format(
    paper.name, cell(one.claim.says), one.paper, cell(one.ours),
    one.number and ("%.0f %%"):format(100 * claims.part(one.claim,
                                                        one.number)) or "",
    cell(range_of(one)), claims.names[one.verdict])
end

-- What differs from the paper's set-up: once for all figures that say the
-- same.
local function markdown_differs(out, paper)
  local order, by = {}, {}
  for _, figure in ipairs(paper.figures) do
    local says = figure.experiment and figure.experiment.differs
    if says then
      if not by[says] then
        by[says] = {}
        order[#order + 1] = says
      end
      table.insert(by[says], figure.name)
    end
  end
  for _, says in ipairs(order) do
    out[#out + 1] = ""
    out[#out + 1] = ("Set-up%s: %s"):format(#order > 1 and " of " ..
      table.concat(by[says], ", ") or "", says)
  end
end

local function markdown_table(out, head, rows)
  if #rows == 0 then return end
  out[#out + 1] = ""
  out[#out + 1] = "| " .. table.concat(head, " | ") .. " |"
  out[#out + 1] = "|" .. ("---|"):rep(#head)
  for _, row in ipairs(rows) do
    local cells = {}
    for k, text in ipairs(row) do cells[k] = cell(text) end
    out[#out + 1] = "| " .. table.concat(cells, " | ") .. " |"
  end
end

-- A paper's part of the page; its first two lines go to the head's tables.
local function section(paper, options)
  local out = { count_row(paper), headline_row(paper), "",
                "## " .. paper.title, "", provenance(paper, options) }
  markdown_differs(out, paper)
  out[#out + 1] = ""
  out[#out + 1] = "| the paper says | where | paper | here | verdict |"
  out[#out + 1] = "|---|---|---|---|---|"
  local reasons, said = {}, {} -- each once, with the claims it is of
  for _, one in ipairs(paper.results) do
    out[#out + 1] = ("| %s | %s | %s | %s | %s |"):format(
      cell(one.claim.says), cell(one.claim.where), one.paper,
      cell(ours_of(one)), claims.names[one.verdict])
    if one.reason then
      if not said[one.reason] then
        reasons[#reasons + 1] = one.reason
        said[one.reason] = {}
      end
      table.insert(said[one.reason], one.claim.says)
    end
  end
  markdown_table(out, admission_table(paper))
  markdown_table(out, open_head, open_rows(paper))
  if #reasons > 0 then
    out[#out + 1] = ""
    out[#out + 1] = "Why:"
    out[#out + 1] = ""
    for _, reason in ipairs(reasons) do
      out[#out + 1] = ("* %s: %s"):format(table.concat(said[reason], "; "),
                                          reason)
    end
  end
  return table.concat(out, "\n") .. "\n"
end

-- The parts of all papers that the folder has, those just made and others that
-- were run before, in the order of `names`.
local function sections(made, options, names)
  local list, fresh = {}, {}
  for _, paper in ipairs(made) do
    fresh[paper.name] = section(paper, options)
  end
  for _, name in ipairs(names) do
    local path = ("%s/%s/section.md"):format(options.out, name)
    local text = fresh[name]
    if text and not options.part then
      local ok, why = core.durable(path, text)
      if not ok then return nil, why end
    elseif not text and not options.part then
      local file = core.kind(path) == "file" and io.open(path, "rb")
      text = file and file:read("a")
      if file then file:close() end
    end
    list[#list + 1] = text or nil
  end
  return list
end

local function markdown(parts)
  local out, headlines_, rest = table.move(page_head, 1, #page_head, 1, {}),
                                {}, {}
  for _, text in ipairs(parts) do
    local counts, headline, body = text:match("^(|[^\n]*)\n([^\n]*)\n(.*)$")
    if counts then
      out[#out + 1], rest[#rest + 1] = counts, body
      if headline ~= "" then headlines_[#headlines_ + 1] = headline end
    end
  end
  if #headlines_ > 0 then
    table.move(headline_head, 1, #headline_head, #out + 1, out)
    table.move(headlines_, 1, #headlines_, #out + 1, out)
  end
  return table.concat(out, "\n") .. "\n" .. table.concat(rest)
end

-- Writes report.html and results.md, and each paper's part of it unless only a
-- figure was run; nil and why, also if a chart of the page could not be drawn.
-- `names`: of all papers, in order.
function M.write(made, options, names)
  local parts, why = sections(made, options, names)
  if not parts then return nil, why end
  local ok
  ok, why = core.durable(options.out .. "/results.md", markdown(parts))
  if not ok then return nil, why end
  local text, p = results.guard(html, made, options)
  if not text then
    return nil, ("%s; the numbers are in %s/results.md"):format(
      tostring(p), options.out)
  end
  ok, why = core.durable(options.out .. "/report.html", text)
  if not ok then return nil, why end
  if not options.quiet and not options.json then
    print(("wrote %s/report.html: %d charts, %d kB; %s/results.md"):format(
      options.out, p.count, #text // 1000, options.out))
  end
  if #p.undrawn > 0 then
    return nil, ("%d %s of the page could not be drawn: %s"):format(#p.undrawn,
      #p.undrawn == 1 and "chart" or "charts", table.concat(p.undrawn, "; "))
  end
  return true
end

return M
