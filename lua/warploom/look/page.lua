-- The frame of a report: one HTML file that needs nothing else.  Its script
-- gives the figures of chart.lua tooltips, legends that switch series on and
-- off, and buttons that save a figure as SVG or PNG.

local import = ...
local svg = import "look/svg"

local M = {}

local STYLE = [[
:root{color-scheme:light}
body{font:15px/1.45 "DejaVu Sans",Verdana,Arial,sans-serif;color:#222;
background:#f4f4f2;margin:0}
main{max-width:940px;margin:0 auto;padding:24px 20px 60px;background:#fff}
h1{font-size:24px;margin:0 0 4px}h2{font-size:19px;margin:34px 0 8px;
border-bottom:1px solid #ccc;padding-bottom:4px}
p{margin:6px 0 12px;max-width:72ch}.note{color:#555;font-size:13px}
.wide{overflow-x:auto}table{border-collapse:collapse;font-size:13px;
margin:8px 0 16px}th,td{padding:4px 10px;border-bottom:1px solid #ddd;
text-align:left;white-space:nowrap}th{border-bottom:2px solid #888}
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}
figure{margin:18px 0;position:relative;border:1px solid #e4e4e4;padding:4px}
figure svg{width:100%;height:auto;display:block}
figure .save{position:absolute;top:6px;right:6px;opacity:.35}
figure:hover .save,figure .save:focus-within{opacity:1}
button{font:12px sans-serif;padding:2px 8px;margin-left:4px;cursor:pointer}
.key.off{opacity:.3}.gone{display:none}
#tip{position:fixed;pointer-events:none;background:#222;color:#fff;
font-size:12px;padding:4px 8px;border-radius:3px;max-width:420px;display:none}
nav{font-size:13px}nav a{margin-right:14px;color:#0b5c8f}
pre{font-size:12px;overflow:auto;max-height:320px;background:#f6f6f6;
padding:8px}@media print{.save,nav{display:none}body{background:#fff}}
]]

local SCRIPT = [[
"use strict";
(function () {
  var errors = 0;
  window.addEventListener("error", function () {
    errors += 1;
    document.body.dataset.errors = errors;
  });
  var tip = document.getElementById("tip");

  // What a mark says moves from <title> to the tooltip.
  document.querySelectorAll("figure svg title").forEach(function (title) {
    title.parentNode.dataset.tip = title.textContent;
    title.remove();
  });
  document.addEventListener("mousemove", function (event) {
    var mark = event.target.closest && event.target.closest("[data-tip]");
    tip.style.display = mark ? "block" : "none";
    if (!mark) return;
    tip.textContent = mark.dataset.tip;
    var x = Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8);
    tip.style.left = x + "px";
    tip.style.top = (event.clientY + 16) + "px";
  });

  // Segments of a bar close up when one of them is switched off.
  function stack(svg) {
    var bars = {};
    svg.querySelectorAll("rect.mark[data-bar]").forEach(function (rect) {
      var bar = bars[rect.dataset.bar] = bars[rect.dataset.bar] || [];
      if (rect.dataset.y === undefined) rect.dataset.y = rect.getAttribute("y");
      bar.push(rect);
    });
    if (svg.dataset.stacked === undefined) return;
    Object.keys(bars).forEach(function (name) {
      var down = 0;
      bars[name].forEach(function (rect) {
        var y = parseFloat(rect.dataset.y);
        if (rect.classList.contains("gone")) {
          down += parseFloat(rect.getAttribute("height"));
        } else {
          rect.setAttribute("y", y + down);
        }
      });
    });
  }
  function toggle(key) {
    var svg = key.closest("svg"), off = key.classList.toggle("off");
    key.setAttribute("aria-pressed", !off);
    svg.querySelectorAll(".s" + key.dataset.series).forEach(function (mark) {
      mark.classList.toggle("gone", off);
    });
    stack(svg);
  }
  document.querySelectorAll("figure .key").forEach(function (key) {
    key.setAttribute("role", "button");
    key.addEventListener("click", function () { toggle(key); });
    key.addEventListener("keydown", function (event) {
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        toggle(key);
      }
    });
  });

  // A figure by itself, as it is shown now.
  function text(svg) {
    var copy = svg.cloneNode(true);
    copy.querySelectorAll(".gone").forEach(function (m) { m.remove(); });
    copy.querySelectorAll(".key.off").forEach(function (m) { m.remove(); });
    copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
    return new XMLSerializer().serializeToString(copy);
  }
  function save(blob, name) {
    var link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(function () { URL.revokeObjectURL(link.href); }, 1000);
  }
  function png(svg, done) {
    var image = new Image(), box = svg.viewBox.baseVal, zoom = 2;
    image.onload = function () {
      var canvas = document.createElement("canvas");
      canvas.width = box.width * zoom;
      canvas.height = box.height * zoom;
      var context = canvas.getContext("2d");
      context.scale(zoom, zoom);
      context.drawImage(image, 0, 0, box.width, box.height);
      canvas.toBlob(done, "image/png");
    };
    image.src = "data:image/svg+xml;charset=utf-8," +
                encodeURIComponent(text(svg));
  }
  document.querySelectorAll("figure").forEach(function (figure, i) {
    var svg = figure.querySelector("svg"), bar = figure.querySelector(".save");
    var title = svg.querySelector("text.title").textContent;
    var name = title.replace(/[^A-Za-z0-9]+/g, "_") || "chart" + i;
    ["SVG", "PNG"].forEach(function (kind) {
      var button = document.createElement("button");
      button.textContent = kind;
      button.title = "Save this figure as " + kind;
      button.addEventListener("click", function () {
        if (kind === "SVG") {
          save(new Blob([text(svg)], { type: "image/svg+xml" }), name + ".svg");
        } else {
          png(svg, function (blob) { save(blob, name + ".png"); });
        }
      });
      bar.appendChild(button);
    });
  });
  window.warploom = { text: text, png: png, toggle: toggle };
  document.body.dataset.charts =
    document.querySelectorAll("figure svg").length;
  document.body.dataset.errors = errors;
}());
]]

function M.escape(text) return svg.escape(text) end

-- Rows of cells, the first the heading; `right` has columns of numbers.
function M.table(rows, right)
  local out = { '<div class="wide"><table>' }
  for i, row in ipairs(rows) do
    local cells, tag = {}, i == 1 and "th" or "td"
    for k, cell in ipairs(row) do
      cells[k] = ("<%s%s>%s</%s>"):format(tag, right and right[k] and
        ' class="n"' or "", svg.escape(cell), tag)
    end
    out[#out + 1] = "<tr>" .. table.concat(cells) .. "</tr>"
  end
  out[#out + 1] = "</table></div>"
  return table.concat(out, "\n")
end

function M.page(title, body)
  return table.concat({ "<!DOCTYPE html>", '<html lang="en"><head>',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    "<title>" .. svg.escape(title) .. "</title>", "<style>", STYLE,
    "</style></head><body><main>", body, '</main><div id="tip"></div>',
    "<script>", SCRIPT, "</script></body></html>\n" }, "\n")
end

return M
