// Appended to a copy of a page with hatched fills: every pattern that a mark
// names is there, and what is saved has it, as SVG and in PNG's pixels.
"use strict";
(async function () {
  const found = [];
  function check(ok, what) { if (!ok) found.push(what); }
  const saved = [];
  HTMLAnchorElement.prototype.click = function () {
    saved.push({ url: this.href, name: this.download });
  };
  await window.warploom.ready;

  const svg = document.querySelector("figure svg.marks");
  const used = new Set();
  for (const mark of svg.querySelectorAll("[fill^='url(']")) {
    used.add(/#([^)"]*)/.exec(mark.getAttribute("fill"))[1]);
  }
  check(used.size >= 1, "no fill is hatched");
  for (const id of used) {
    check(document.getElementById(id), "there is no pattern " + id);
  }
  const buttons = document.querySelectorAll("figure .save button");
  check(buttons.length === 2, "no buttons to save it");
  for (const button of buttons) {
    const before = saved.length;
    button.click();
    // Timers pass at once in a headless browser; this takes real time.
    for (let i = 0; i < 3000 && saved.length === before; i++) {
      await fetch("data:,x");
    }
  }
  check(saved.length === 2, "only " + saved.length + " files are saved");
  const text = decodeURIComponent(saved[0].url.replace(/^[^,]*,/, ""));
  for (const id of used) {
    check(text.includes('<pattern id="' + id + '"'), "saved without " + id);
  }
  const picture = new Image();
  picture.src = saved[1]?.url;
  for (let i = 0; i < 3000 && !picture.complete; i++) await fetch("data:,x");
  const canvas = document.createElement("canvas");
  canvas.width = picture.width;
  canvas.height = picture.height;
  const context = canvas.getContext("2d");
  context.drawImage(picture, 0, 0);
  const data = context.getImageData(0, 0, canvas.width, canvas.height).data;
  const colours = new Map();
  for (let i = 0; i < data.length; i += 4) {
    const key = data[i] + "," + data[i + 1] + "," + data[i + 2];
    colours.set(key, (colours.get(key) ?? 0) + 1);
  }
  // The first colour, without a pattern, and the second under one.
  check((colours.get("0,114,178") ?? 0) > 500, "the PNG has no blue");
  check((colours.get("230,159,0") ?? 0) > 200, "the PNG has no orange");
  document.body.dataset.problems = found.length;
  const out = document.createElement("pre");
  out.id = "found";
  out.textContent = found.join("\n");
  document.body.appendChild(out);
  document.body.dataset.done = "yes";
}());
