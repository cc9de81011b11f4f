-- warploom look: the page of a timeline (run --timeline).
--
-- The page has the file as it is, and the script that draws it.

local import = ...
local library = import "look/library"
local words = import "look/words"
local plot = import "look/plot"
local core = import "core"

local M = {}

-- What a browser keeps in one text.
local MOST = 400 << 20

local head = '{"displayTimeUnit":"ns","traceEvents":['

-- The text of a timeline, or nil and why it is none.
function M.read(path)
  local file, why = io.open(path, "rb")
  if not file or core.kind(path) == "directory" then
    return nil, ("cannot read '%s'%s"):format(path, why and
      why:gsub("^.-:", ":", 1) or ": it is a folder")
  end
  local begins = file:read(#head)
  local bytes = file:seek "end"
  if begins ~= head then
    file:close()
    return nil, ("'%s' is no timeline, which run --timeline writes")
                :format(path)
  elseif bytes > MOST then
    file:close()
    return nil, ("'%s' has %d MB, and pages take %d: --window chooses a part")
                :format(path, bytes >> 20, MOST >> 20)
  end
  file:seek "set"
  local text = file:read "a"
  file:close()
  -- One that was cut off, as its run was, has an event a line, without an end.
  if not text:find('"otherData":{.-}}%s*$') then
    text = text:gsub(",?\n[^\n]*$", "") .. '\n],"otherData":{"complete":false}}'
  end
  return text
end

local hint = [[<p class="note">Click on a slice for what it was, on a grey bar
to open or close its rows. Turn the wheel with Ctrl or Shift held, or press w
and s, to zoom; drag, or a and d, to move; click twice, or f, for one slice
alone; Escape for all.</p>]]

function M.page(text, title)
  local complete = text:find('"complete":true', -400, true)
  return table.concat({ "<!DOCTYPE html>", '<html lang="en"><head>',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    "<title>" .. words.escape(title) .. "</title>",
    "<style>", library.own("page.css"), library.own("timeline.css"),
    "</style></head><body><main>",
    "<h1>" .. words.escape(title) .. "</h1>", hint,
    complete and "" or '<p class="note">The file is not complete: its limit ' ..
      "was reached, or the run did not end.</p>",
    '<p><button id="all">all</button><button id="slowest">the slowest load' ..
      "</button></p>",
    '<div id="frame"><div id="scroll"><canvas id="rows" role="img" ' ..
      'aria-label="Kernels, CTAs, warps, loads and memory over time">' ..
      '</canvas></div><div id="chosen" aria-live="polite"></div></div>',
    "<h2>Where loads spent their time</h2>",
    '<p class="note">Of a load of several accesses, the way of the one that ' ..
      "came last. A bar's length is the mean latency.</p>",
    '<p id="legend"></p>',
    '<div class="wide"><table id="instructions"><thead><tr><th>kernel</th>' ..
      '<th class="n">PC</th><th class="n">line</th><th>PTX</th>' ..
      '<th class="n">loads</th><th class="n">cycles</th><th>mean latency by ' ..
      "place</th></tr></thead><tbody></tbody></table></div></main>",
    '<script type="application/json" id="events">', text, "</script>",
    "<script>", library.own("timeline.js"), "</script></body></html>\n" }, "\n")
end

function M.main(paths, options)
  if not paths[1] or paths[2] then
    return nil, "look needs a timeline, which run --timeline writes"
  end
  local text, why = M.read(paths[1])
  if not text then
    io.stderr:write("warploom: ", why, "\n")
    return 1
  end
  local out = options.out or paths[1]:gsub("%.json$", "") .. ".html"
  local html = M.page(text, options.title or paths[1]:match("[^/]+$"))
  local ok
  ok, why = plot.write(out, html)
  if not ok then
    io.stderr:write("warploom: ", why, "\n")
    return 5
  end
  if not options.quiet and out ~= "-" then
    print(("wrote %s: %d kB"):format(out, #html // 1000))
  end
  return 0
end

return M
