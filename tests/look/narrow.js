// Appended to a copy of a report in a narrow window: no text of a figure sticks
// out of it, legends and names do not lie on each other, and the page is no
// wider than the window.
"use strict";
(async function () {
  const found = [];
  let name = "";
  function check(ok, what) { if (!ok) found.push(name + ": " + what); }
  const overlap = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 &&
                            a.top < b.bottom - 1 && b.top < a.bottom - 1;
  await window.warploom.ready;

  let seen = 0;
  for (const figure of document.querySelectorAll("figure")) {
    const svg = figure.querySelector("svg.marks");
    name = JSON.parse(figure.querySelector("script").textContent).title.text;
    check(svg, "is not drawn");
    if (!svg) continue;
    seen++;
    const box = figure.getBoundingClientRect();
    const drawing = svg.getBoundingClientRect();
    check(box.right <= window.innerWidth + 1, "is wider than the window");
    check(drawing.right <= box.right + 1, "sticks out of its frame");
    for (const text of svg.querySelectorAll("text")) {
      if (text.textContent === "" || text.closest("[opacity='0']")) continue;
      const b = text.getBoundingClientRect();
      check(b.left >= drawing.left - 1 && b.right <= drawing.right + 1 &&
            b.top >= drawing.top - 1 && b.bottom <= drawing.bottom + 1,
            "'" + text.textContent + "' sticks out");
    }
    for (const kind of [".role-axis-label", ".role-legend-label"]) {
      for (const group of svg.querySelectorAll(kind)) {
        let last = null;
        for (const text of group.querySelectorAll("text")) {
          if (text.getAttribute("opacity") === "0" ||
              /rotate/.test(text.getAttribute("transform"))) continue;
          const b = text.getBoundingClientRect();
          check(!last || !overlap(b, last),
                "names lie on each other at '" + text.textContent + "'");
          last = b;
        }
      }
    }
  }
  name = "page";
  check(seen > 0, "has no figure");
  check(document.documentElement.scrollWidth <= window.innerWidth + 1,
        "scrolls sideways");
  document.body.dataset.problems = found.length;
  const out = document.createElement("pre");
  out.id = "found";
  out.textContent = found.join("\n");
  document.body.appendChild(out);
  document.body.dataset.done = "yes";
}());
