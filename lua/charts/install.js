// Copies from node_modules what figures need, with the licences of it all.
//   node install.js NODE_MODULES FOLDER
"use strict";
const fs = require("fs");
const path = require("path");

const [modules, folder] = process.argv.slice(2);
fs.mkdirSync(folder, { recursive: true });

const versions = [];
for (const name of ["vega", "vega-lite", "vega-embed"]) {
  fs.copyFileSync(path.join(modules, name, "build", `${name}.min.js`),
                  path.join(folder, `${name}.min.js`));
  const about = path.join(modules, name, "package.json");
  versions.push(`${name} ${JSON.parse(fs.readFileSync(about)).version}`);
}

// A text that several packages have is kept once.
const licences = new Map();
for (const name of fs.readdirSync(modules).sort()) {
  if (name.startsWith(".") || name.startsWith("@")) continue;
  for (const file of fs.readdirSync(path.join(modules, name))) {
    if (!/^licen[cs]e/i.test(file)) continue;
    const text = fs.readFileSync(path.join(modules, name, file), "utf8").trim();
    licences.set(text, [...(licences.get(text) ?? []), name]);
  }
}
let out = "";
for (const [text, names] of licences) {
  out += `${names.join(", ")}\n\n${text}\n\n----\n\n`;
}
fs.writeFileSync(path.join(folder, "LICENCES.txt"), out);
// Last: it says that everything is there.
fs.writeFileSync(path.join(folder, "versions.txt"), versions.join(", ") + "\n");
