-- The frame of a page: one HTML file that needs nothing else, with Vega-Lite
-- in it to draw its figures (page.js, page.css).

local import = ...
local library = import "look/library"
local vega = import "look/vega"
local words = import "look/words"

local M = {}

M.escape = words.escape

-- A figure of figures.lua.
function M.figure(figure)
  return '<figure><div class="chart"></div><div class="save"></div>' ..
         '<script type="application/json">' .. vega.json(figure, true) ..
         "</script></figure>"
end

-- Rows of cells, the first the heading; `right` has columns of numbers.
function M.table(rows, right)
  local out = { '<div class="wide"><table>' }
  for i, row in ipairs(rows) do
    local cells, tag = {}, i == 1 and "th" or "td"
    for k, cell in ipairs(row) do
      cells[k] = ("<%s%s>%s</%s>"):format(tag, right and right[k] and
        ' class="n"' or "", words.escape(cell), tag)
    end
    out[#out + 1] = "<tr>" .. table.concat(cells) .. "</tr>"
  end
  out[#out + 1] = "</table></div>"
  return table.concat(out, "\n")
end

M.hint = '<p class="note">Point at a mark for its value. Click on entries ' ..
  "of a legend to see only these, again to see all. Drag to move, turn the " ..
  "wheel with Ctrl or Shift to zoom, click twice to go back.</p>"

function M.page(title, body)
  local scripts = {}
  for i, name in ipairs { "vega", "vega-lite", "vega-embed" } do
    scripts[i] = "<script>" .. library.read(name .. ".min.js") .. "</script>"
  end
  return table.concat({ "<!DOCTYPE html>", '<html lang="en"><head>',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    "<title>" .. words.escape(title) .. "</title>",
    "<style>", library.own("page.css"), "</style></head><body><main>", body,
    "<details><summary>Figures are drawn by " ..
      words.escape(library.versions()) .. ": licences</summary><pre>",
    words.escape(library.read("LICENCES.txt")), "</pre></details>",
    "</main>", table.concat(scripts, "\n"),
    "<script>", library.own("page.js"), "</script></body></html>\n" }, "\n")
end

return M
