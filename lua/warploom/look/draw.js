// Draws a Vega-Lite specification, without a browser.
//   node -e DRAW FOLDER OUT <specification
// FOLDER has the library (look/library.lua), OUT becomes an SVG.
"use strict";
const fs = require("fs");

const [folder, out] = process.argv.slice(-2);
globalThis.self = globalThis;

// The library's files are made for browsers, where modules are globals.
for (const name of ["vega", "vega-lite"]) {
  const text = fs.readFileSync(`${folder}/${name}.min.js`, "utf8");
  (0, eval)(`(function (exports, module, define) {${text}\n})()`);
}

// Without a canvas nothing measures text; letters of a wide sans serif are
// about as wide as this.
vega.textMetrics.width = (item, text) =>
  0.6 * (item.fontSize ?? 11) * String(text ?? "").length;

const specification = JSON.parse(fs.readFileSync(0, "utf8"));
const compiled = vegaLite.compile(specification).spec;
const view = new vega.View(vega.parse(compiled), { renderer: "none" });

// Of what is as wide as its parts, the whole is made as wide as was asked for.
function scaled(svg, width) {
  return svg.replace(/ width="([\d.]+)" height="([\d.]+)"/, (_, w, h) =>
    ` width="${width}" height="${Math.round(h * width / w)}"`);
}

const about = specification.usermeta ?? {};
view.toSVG().then((svg) => {
  if (about.patterns) svg = svg.replace(/<svg[^>]*>/, "$&" + about.patterns);
  if (about.width) svg = scaled(svg, about.width);
  fs.writeFileSync(out, svg + "\n");
});
