-- warploom papers: every figure and table of the papers, by one command.
--
-- A paper is a folder of scripts, one for each figure or table, each with a
-- loom.experiment, and claims.lua (claims.lua here says how those look).  The
-- program has those of examples/papers in it; --from names another folder.
--
--   OUT/scripts/PAPER/..     the scripts as they were run
--   OUT/PAPER/FIG.sweep/     their sweeps
--   OUT/store                runs that figures share; OUT/streams
--   OUT/report.html, OUT/results.md

local import = ...
local core = import "core"
local session = import "script/session"
local suggest = import "base/suggest"
local sandbox = import "script/sandbox"
local init = import "init"
local sweep = import "sweep/sweep"
local merge = import "sweep/merge"
local claims = import "papers/claims"
local admission = import "papers/admission"
local numbers = import "papers/numbers"
local interrupt = import "script/interrupt"

local M = {}

-- In the order of their numbers; title as the papers have it.
M.known = {
  { name = "apcm", title = "APCM: access pattern-aware cache management " ..
    "(Koo et al., ISCA 2017)" },
  { name = "sl1", title = "S-L1: a software-based GPU L1 cache (Mokhtari " ..
    "and Stumm)" },
  { name = "two-level", title = "Two-level L1 data cache bypassing (Kim " ..
    "and Kim, JIPS 2021)" },
  { name = "dacache", title = "DaCache: divergence-aware cache management " ..
    "(Wang et al., ICS 2015)" },
  { name = "loscache", title = "LoSCache: power gating of an L2 that " ..
    "predicts its lines' last use" },
}

------------------------------------------------------------------------------
-- The scripts

-- File name -> text of a paper's folder on disk or in the program.
local function sources(paper, from)
  local out = {}
  if from then
    for _, name in ipairs(core.list(from .. "/" .. paper)) do
      if name:find("%.lua$") then
        local file = io.open(from .. "/" .. paper .. "/" .. name, "rb")
        out[name] = file and file:read("a")
        if file then file:close() end
      end
    end
    return out
  end
  for _, path in ipairs(core.sources()) do
    local name = path:match("^papers/" .. paper:gsub("%-", "%%-") ..
                            "/([^/]+%.lua)$")
    if name then out[name] = core.source(path) end
  end
  return out
end

-- "admission" before "fig04" before "fig12" before "table3" before "why-mshrs".
local function figures_of(texts)
  local list = {}
  for name in next, texts do
    local figure = name:match("^(fig%d+)%.lua$") or
                   name:match("^(table%d+)%.lua$") or
                   name:match("^(range)%.lua$") or
                   name:match("^(admission)%.lua$") or
                   name:match("^(why%-[%w_-]+)%.lua$")
    if figure then list[#list + 1] = figure end
  end
  table.sort(list)
  return list
end

-- Puts a paper's scripts where points can read them; only what differs is
-- written, so that nothing that is done looks new.
local function lay_out(paper, texts, out)
  local folder = out .. "/scripts/" .. paper
  core.mkdir(out)
  core.mkdir(out .. "/scripts")
  core.mkdir(folder)
  for name, text in next, texts do
    local path = folder .. "/" .. name
    local file = io.open(path, "rb")
    local before = file and file:read("a")
    if file then file:close() end
    if before ~= text then
      local ok, why = core.durable(path, text)
      if not ok then return nil, why end
    end
  end
  return folder
end

-- The claims of a paper as a list; an error names the file.
local function read_claims(folder, texts)
  if not texts["claims.lua"] then return {} end
  local path = folder .. "/claims.lua"
  session.reset { script = path, mode = "check", set = {}, quiet = true,
                  seed = 1 }
  local env
  local loom = init.new(function() return env end)
  env = sandbox.environment(loom)
  local chunk = sandbox.load(texts["claims.lua"], path, env)
  if not chunk then
    return nil, table.concat(session.lines(session.problems), "\n")
  end
  local ok, list = pcall(chunk)
  if not ok or type(list) ~= "table" then
    return nil, ("%s: %s"):format(path, ok and "returns no list" or
                                  tostring(list))
  end
  for i, claim in ipairs(list) do
    local wrong = claims.mistake(claim)
    if wrong then
      return nil, ("%s: claim %d%s %s"):format(path, i,
        type(claim) == "table" and claim.says and
        (" ('%s')"):format(claim.says) or "", wrong)
    end
  end
  return list
end

M.sources, M.figures_of, M.read_claims = sources, figures_of, read_claims

------------------------------------------------------------------------------
-- Running

local function say(options, fmt, ...)
  if not options.quiet then
    io.stderr:write(fmt:format(...), "\n")
    io.stderr:flush()
  end
end

-- The statistics that a report draws: what the merged file has of them.
-- Reading all of all points takes longer than simulating them at size tiny.
local function drawn(experiment)
  local names = {}
  for _, one in ipairs(experiment.figures) do
    if one.column:find(".", 1, true) then names[#names + 1] = one.column end
  end
  return names
end

-- One figure: its sweep, columns, and what to draw; `own` is what the paper
-- asks of its benchmarks.
local function run_figure(paper, name, folder, options, own)
  local path = ("%s/%s.lua"):format(folder, name)
  local file = io.open(path, "rb")
  local text = file:read("a")
  file:close()
  local out = ("%s/%s/%s.sweep"):format(options.out, paper, name)
  core.mkdir(options.out .. "/" .. paper)
  session.command = { "warploom", "papers", paper, name }
  local before = session.quiet
  local status, made = sweep.main(path, text, {
    out = out, jobs = options.jobs, store = options.out .. "/store",
    cache = options.out .. "/streams", set = options.set,
    seed = options.seed, sample = options.sample, timed = options.timed,
    quiet = options.quiet, silent = true, coarse = true,
    monitor = options.monitor,
    statistics = drawn }, {})
  session.quiet = before
  local result = { name = name, status = status, file = out .. "/results.h5",
                   link = ("%s/%s.sweep/results.h5"):format(paper, name) }
  if made then
    result.experiment = made.experiment
    result.columns = merge.columns(made)
    result.admission, result.order, result.refused =
      admission.of(made.experiment, own)
    if (result.refused or 0) > 0 then
      result.admitted = merge.columns {
        experiment = admission.only(made.experiment, result.admission) }
    end
    result.counts = { points = #made.experiment.points, run = 0, stored = 0,
                      before = 0, failed = 0 }
    local n = result.counts
    for _, point in ipairs(made.experiment.points) do
      local what = point.state ~= "done" and "failed" or
                   point.before and "before" or
                   point.result.stored and "stored" or "run"
      n[what] = n[what] + 1
    end
  end
  return result
end

local function run_paper(paper, only, options)
  local texts = sources(paper.name, options.from)
  local folder, why = lay_out(paper.name, texts, options.out)
  if not folder then return nil, why end
  local list
  list, why = read_claims(folder, texts)
  if not list then return nil, why end
  local made = { name = paper.name, title = paper.title, open = list.open,
                 figures = {},
                 results = {}, status = 0 }
  local by_name = {}
  local names = figures_of(texts)
  for i, name in ipairs(names) do
    if only and only[name] or
       not only and (options.why or not name:find("^why%-")) then
      say(options, "%s %s (%d of %d)", paper.name, name, i, #names)
      local figure = run_figure(paper.name, name, folder, options, made.own)
      if interrupt.stopped(figure.status) then
        return nil, ("%s in %s %s, which is not finished; started again, " ..
                     "papers goes on"):format(interrupt.text(), paper.name,
                                              name)
      end
      made.status = math.max(made.status, figure.status or 0)
      made.figures[#made.figures + 1] = figure
      by_name[name] = figure
      if name == "admission" and figure.columns then
        made.own, made.own_names = admission.own(figure.experiment,
                                                   figure.columns)
      end
    end
  end
  for _, claim in ipairs(list) do
    local figure = claim.figure and by_name[claim.figure]
    local script = type(claim.why) == "table" and claim.why.script
    if not only or only[claim.figure] or only[script] then
      if claim.figure and not figure and not only then
        return nil, ("%s/claims.lua: there is no %s%s"):format(folder,
          claim.figure, suggest.hint(claim.figure, names))
      end
      local ok, judged = pcall(claims.judge, claim,
                               figure and figure.columns)
      if not ok then return nil, tostring(judged) end
      judged.claim = claim
      local tried = by_name[script]
      ok, judged.reason = pcall(claims.reason, claim, tried and tried.columns)
      if not ok then return nil, tostring(judged.reason) end
      if figure and figure.admitted then
        -- A claim about a benchmark that is not admitted has no second number.
        local there, second = pcall(claims.judge, claim, figure.admitted)
        judged.admitted = there and second.verdict ~= "untested" and
                          second.ours ~= judged.ours and second or nil
      end
      local range = claim.range and by_name[claim.range.figure]
      if range and range.columns then
        ok, judged.low, judged.high, judged.readings =
          pcall(claims.range, claim, range.columns)
        if not ok then return nil, tostring(judged.low) end
      end
      made.results[#made.results + 1] = judged
      if claim.headline then
        made.headline, judged.figure = judged, figure
      end
    end
  end
  return made
end

------------------------------------------------------------------------------
-- The command

-- Which papers and which figures (nil: all) the words name; nil and why.
local function choose(words, from)
  local chosen, names = {}, {}
  for _, paper in ipairs(M.known) do
    if next(figures_of(sources(paper.name, from))) then
      names[#names + 1] = paper.name
      if not words[1] or words[1] == paper.name then
        chosen[#chosen + 1] = paper
      end
    end
  end
  if #chosen == 0 then
    return nil, #names == 0 and ("no paper is in %s"):format(from) or
      ("there is no paper '%s'%s"):format(words[1],
                                          suggest.hint(words[1], names))
  end
  if not words[2] then return chosen end
  local list = figures_of(sources(chosen[1].name, from))
  local known, only = {}, {}
  for _, name in ipairs(list) do known[name] = true end
  for _, name in ipairs(words), words, 1 do
    if not known[name] then
      return nil, ("paper '%s' has no '%s'%s; it has %s"):format(
        chosen[1].name, name, suggest.hint(name, list),
        table.concat(list, ", "))
    end
    only[name] = true
  end
  return chosen, only
end

local function list_all(options)
  local list = {}
  for _, paper in ipairs(M.known) do
    local names = figures_of(sources(paper.name, options.from))
    if #names > 0 then
      list[#list + 1] = { name = paper.name, figures = names }
    end
  end
  if options.json then return print(numbers.names(list)) end
  for _, paper in ipairs(list) do
    print(paper.name .. ": " .. table.concat(paper.figures, " "))
  end
end

local function summary(made)
  local rows = { { "paper", "claims" } }
  for i, name in ipairs(claims.verdicts) do
    rows[1][i + 2] = claims.names[name]
  end
  for _, paper in ipairs(made) do
    local n = claims.count(paper.results)
    local row = { paper.name, tostring(#paper.results) }
    for i, name in ipairs(claims.verdicts) do row[i + 2] = tostring(n[name])
    end
    rows[#rows + 1] = row
  end
  return rows
end
M.summary = summary

-- `warploom papers`; returns the exit status.
function M.main(words, options)
  local function fail(why)
    io.stderr:write("warploom: ", why, "\n")
    return 1
  end
  if options.list then
    list_all(options)
    return 0
  end
  local chosen, only = choose(words, options.from)
  if not chosen then return fail(only) end
  options.out = options.out or "papers.out"
  if options.size then options.set.size = options.size end
  local made, status, why = {}, 0
  local total = { points = 0, run = 0, stored = 0, before = 0, failed = 0 }
  for i, paper in ipairs(chosen) do
    made[i], why = run_paper(paper, only, options)
    if not made[i] then
      local failed = fail(why)
      return interrupt.status() or failed
    end
    status = math.max(status, made[i].status)
    for _, figure in ipairs(made[i].figures) do
      for key in next, total do
        total[key] = total[key] + (figure.counts and figure.counts[key] or 0)
      end
    end
  end
  local ok
  options.part = only ~= nil
  local names = {}
  for k, paper in ipairs(M.known) do names[k] = paper.name end
  ok, why = import "papers/page".write(made, options, names)
  if not ok then
    status = math.max(status, fail(why))
  end
  if options.json then
    print(numbers.text(made, options.out, status))
  elseif not options.quiet then
    local text = import "base/text"
    print(table.concat(text.columns(summary(made),
      { false, true, true, true, true, true, true, true }), "\n"))
    print(("%d points: %d run, %d shared by figures, %d done before, %d " ..
           "failed: %s"):format(total.points, total.run, total.stored,
          total.before, total.failed, options.out))
  end
  return status
end

return M
