-- The files of the live monitor's page (run/monitor.lua): one page, its style,
-- its script, and what draws charts where that is installed.

local import = ...
local library = import "look/library"

local M = {}

local page = [[
<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>warploom</title><link rel="stylesheet" href="style.css"></head><body>
<main>
<h1 id="title">warploom</h1>
<p class="note" id="what"></p>
<p id="status" role="status"></p>
<p class="buttons">
<button id="pause">Pause</button>
<button id="continue" disabled>Continue</button>
<button id="snapshot">Snapshot</button>
<button id="stop">Stop this run</button></p>
<h2>Progress</h2>
<div class="bar" id="kernel_bar" role="progressbar"><div></div></div>
<table id="progress"></table>
<div class="wide"><table id="points"></table></div>
<div id="machine_parts">
<h2>What bounds it</h2>
<p class="note" id="interval"></p>
<table class="words" id="bounds"></table>
<table id="stages"></table>
<h2>Charts</h2>
<p class="note" id="no_charts"></p>
<figure><div class="chart" id="chart_ipc"></div></figure>
<figure><div class="chart" id="chart_parts"></div></figure>
<figure><div class="chart" id="chart_speed"></div></figure>
<h2>How full the links are</h2>
<p class="note">Messages in a channel, of those that it has room for, on average
over looks in the last interval; links of one kind together, and the fullest of
them. A full channel holds its sender up: follow the full ones to where they
end.</p>
<div class="wide"><table id="links"></table></div>
<h2>What warps wait for</h2>
<p class="note">What became of the schedulers' cycles of each SM in the last
interval.</p>
<p id="legend"></p>
<div id="slots"></div>
<h2>The machine</h2>
<p class="note">Every statistic: since time 0, and in the last interval. Ratios
are of what was counted in the interval.</p>
<div id="tree"></div>
</div></main>
%s<script src="page.js"></script></body></html>
]]

local TEXT = "text/html; charset=utf-8"
local STYLE = "text/css; charset=utf-8"
local SCRIPT = "text/javascript; charset=utf-8"

-- Gives them to a server.
function M.put(server)
  local scripts = {}
  if library.find() then
    for _, name in ipairs { "vega", "vega-lite", "vega-embed" } do
      server:put(name .. ".js", SCRIPT, library.read(name .. ".min.js"))
      scripts[#scripts + 1] = ('<script src="%s.js"></script>\n'):format(name)
    end
  end
  server:put("page", TEXT, page:format(table.concat(scripts)))
  server:put("style.css", STYLE, library.own("page.css") ..
                                 library.own("monitor.css"))
  server:put("page.js", SCRIPT, library.own("monitor.js"))
end

return M
