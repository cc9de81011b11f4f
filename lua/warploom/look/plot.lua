-- warploom plot: one figure of one or several results files.

local import = ...
local core = import "core"
local results = import "look/results"
local figures = import "look/figures"
local merged = import "look/merged"
local library = import "look/library"
local page = import "look/page"
local vega = import "look/vega"

local M = {}

local function is_file(word)
  local kind = core.kind(word)
  return word:find("%.h5$") or word:find("%.partial$") or kind == "file" or
         kind == "other" or kind == "directory" and word:find("/")
end

-- Names that tell files apart: the last part of the path, or all of it.
function M.names(files)
  local names, count = {}, {}
  for i, file in ipairs(files) do
    names[i] = file:title()
    count[names[i]] = (count[names[i]] or 0) + 1
  end
  for i, file in ipairs(files) do
    if count[names[i]] > 1 then names[i] = file.path:gsub("%.h5$", "") end
  end
  return names
end

-- Opens all files; an error is thrown for M.guard.
function M.open(paths)
  local files = {}
  for i, path in ipairs(paths) do
    local file, why = results.open(path)
    if not file then results.refuse("%s", why) end
    files[i] = file
  end
  return files
end

-- Sorts the words of a command line into files and patterns.
function M.sort(words)
  local paths, patterns = {}, {}
  for _, word in ipairs(words) do
    -- A sweep's folder is its results.
    local inside = word:gsub("/+$", "") .. "/results.h5"
    if core.kind(inside) == "file" then word = inside end
    table.insert(is_file(word) and paths or patterns, word)
  end
  return paths, patterns
end

local function number(options, key, low, high)
  local text = options[key]
  if text == nil then return nil end
  local value = tonumber(text)
  if not value or value < low or value > high then
    results.refuse("--%s is '%s', expected a number in %g..%g", key, text, low,
                   high)
  end
  return value
end

-- Pixels, or a column or a page of a paper.
local function width_of(options)
  if vega.PAPER[options.width] then return nil, options.width end
  if options.width and not tonumber(options.width) then
    results.refuse("--width is '%s', expected column, page or a number in " ..
                   "200..10000", options.width)
  end
  return number(options, "width", 200, 10000)
end

-- The statistics that patterns name in the first file.
local function picks_of(files, patterns)
  local picks = {}
  for _, pattern in ipairs(patterns) do
    for _, pick in ipairs(files[1]:select(pattern)) do
      picks[#picks + 1] = pick
    end
  end
  if #picks > 16 then
    results.refuse("the patterns name %d statistics; a figure shows at most " ..
                   "16", #picks)
  end
  return picks
end

-- What options say of how a figure looks, into `out`.
function M.style(options, out)
  out.width, out.page = width_of(options)
  out.height = number(options, "height", 120, 10000)
  out.title, out.hatch = options.title, options.hatch
  return out
end

function M.request(files, patterns, options)
  local request = M.style(options, {
    files = files, names = M.names(files), picks = {}, kind = options.kind,
    by = options.by, sample = options.sample, normalise = options.normalise,
    mean = options.mean, log = options.log, share = options.share,
    only = options.only, y_max = number(options, "ymax", -1e300, 1e300),
    facet = options.facet, right = options.right and { options.right } })
  for _, file in ipairs(files) do
    if merged.is(file) and #files > 1 then
      results.refuse("'%s' is a merged file: a figure shows one of these, " ..
                     "or files of single runs", file.path)
    end
  end
  if merged.is(files[1]) then
    request.patterns = patterns
    return request, merged
  end
  request.picks = picks_of(files, patterns)
  request.right = request.right and picks_of(files, request.right)
  return request, figures
end

-- Writes a text to a file at once, or to stdout for "-".
function M.write(path, text)
  if path == "-" then
    if io.stdout:write(text) then return true end
    return nil, "cannot write to the standard output"
  end
  return core.write(path, text)
end

-- What the end of a file's name asks for: the text of that file.
local make = {}

function make.json(figure) return vega.json(figure) .. "\n" end

function make.html(figure)
  return page.page(figure.title, page.hint .. page.figure(figure))
end

local function drawn(figure, kind)
  local path = os.tmpname()
  local ok, why = pcall(library.draw, vega.json(figure), path, kind)
  local file = ok and io.open(path, "rb")
  local text = file and file:read("a")
  if file then file:close() end
  os.remove(path)
  if not ok then error(why, 0) end
  return text
end

function make.svg(figure) return drawn(figure) end
function make.png(figure) return drawn(figure, "png") end
function make.pdf(figure) return drawn(figure, "pdf") end

local function maker_of(out)
  local kind = out == "-" and "svg" or (out:match("%.([^./]*)$") or ""):lower()
  return make[kind] or results.refuse("'%s' is no figure: its name ends in " ..
    ".svg, .pdf, .png, .html or .json", out)
end

-- Draws a figure into a file; an error is thrown for M.guard.
function M.put(figure, out)
  local ok, why = M.write(out, maker_of(out)(figure))
  if not ok then results.refuse("%s", why) end
end

-- A figure beside the lines of a command that was given -o.
function M.put_too(figure, options, lines)
  M.put(figure, options.out)
  if not options.quiet then lines[#lines + 1] = "wrote " .. options.out end
end

-- Exit status, or nil and why the command line is wrong.
function M.main(words, options)
  local paths, patterns = M.sort(words)
  if #paths == 0 then return nil, "plot needs a results file" end
  if #patterns == 0 then
    return nil, "plot needs a statistic, such as 'gpu.sm.l1d.miss_ratio'"
  end
  local out = options.out or "plot.svg"
  local text, why = results.guard(function()
    local maker = maker_of(out)
    local request, figure = M.request(M.open(paths), patterns, options)
    return maker(figure.make(request))
  end)
  local ok = text
  if text then ok, why = M.write(out, text) end
  if not ok then
    io.stderr:write("warploom: ", why, "\n")
    return text and 5 or 1
  end
  if not options.quiet and out ~= "-" then print("wrote " .. out) end
  return 0
end

return M
