-- `warploom sweep SCRIPT --slurm`: a job array for sites that want one.
--
-- Each task runs its part of the points; a last job, after all tasks, runs
-- what is missing and merges.  (Inside an allocation, `srun` or `mpirun`
-- with the plain command needs no script.)

local import = ...
local core = import "core"
local session = import "script/session"

local M = {}

local MOST_TASKS = 1000 -- Slurm's default MaxArraySize is 1001

local function quoted(word)
  if word:find("^[%w_./=:,+@-]+$") then return word end
  return "'" .. word:gsub("'", "'\\''") .. "'"
end

local function absolute(path)
  return path:find("^/") and path or core.cwd() .. "/" .. path
end

local function command(sweep, options)
  local words = { core.executable(), "sweep", absolute(sweep.script), "-o",
                  absolute(sweep.folder), "--seed", tostring(session.seed) }
  if session.budget then
    table.move({ "--budget", tostring(session.budget) }, 1, 2, #words + 1,
               words)
  end
  words[#words + 1] = session.sample_word()
  local names = {}
  for name in next, options.set do names[#names + 1] = name end
  table.sort(names)
  for _, name in ipairs(names) do
    words[#words + 1] = ("--set=%s=%s"):format(name, options.set[name])
  end
  for _, given in ipairs { import "run/timed".words(session.timed),
                           import "script/access".words(options) } do
    table.move(given, 1, #given, #words + 1, words)
  end
  table.move(import "run/checkpoint".words(options, absolute), 1, 2,
             #words + 1, words)
  for i, word in ipairs(words) do words[i] = quoted(word) end
  local rest = {}
  for i, word in ipairs(session.argv) do rest[i] = " " .. quoted(word) end
  return table.concat(words, " "),
         #rest > 0 and " --" .. table.concat(rest) or ""
end

-- The script's text.
function M.script(sweep, options)
  local tasks = math.min(#sweep.selected, MOST_TASKS)
  local words, rest = command(sweep, options)
  return ([[
#!/bin/sh
# Experiment %s: %d points in %d tasks.
#   sh %s.slurm        submits both jobs
# Started again, it runs what is missing.
#SBATCH --job-name=%s
#SBATCH --array=0-%d
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=1
#SBATCH --output="%s/slurm-%%A_%%a.log"
if [ -z "${SLURM_JOB_ID:-}" ]; then
    mkdir -p %s
    job=$(sbatch --parsable "$0") || exit
    exec sbatch --dependency="afterany:$job" --job-name=%s-merge \
        --output=%s/slurm-merge.log --wrap=%s
fi
exec %s --part "$SLURM_ARRAY_TASK_ID/%d"%s
]]):format(sweep.experiment.name, #sweep.selected, tasks,
           sweep.experiment.name, sweep.experiment.name, tasks - 1,
           absolute(sweep.folder), quoted(absolute(sweep.folder)),
           sweep.experiment.name, quoted(absolute(sweep.folder)),
           quoted(words .. rest), words, tasks, rest)
end

-- Writes NAME.slurm; its path, or nil and why.
function M.write(sweep, options)
  local path = sweep.experiment.name .. ".slurm"
  local ok, why = core.durable(path, M.script(sweep, options))
  if not ok then return nil, why end
  return path
end

-- "3/16" -> 3, 16; nil and why.
function M.part(text)
  local which, of = text:match("^(%d+)/(%d+)$")
  which, of = math.tointeger(which), math.tointeger(of)
  if not which or of < 1 or which >= of then
    return nil, ("--part is '%s', expected I/N with 0 <= I < N"):format(text)
  end
  return which, of
end

return M
