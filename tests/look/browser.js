// Appended to a copy of a report: works it as a reader would, and writes down
// what it found where browser.sh can read it.
"use strict";
(async function () {
  const found = [];
  const counts = { zoomed: 0, moved: 0, switched: 0, tips: 0, saved: 0 };
  let name = "";
  function check(ok, what) { if (!ok) found.push(name + ": " + what); }

  // What links would save is kept instead.
  const saved = [];
  HTMLAnchorElement.prototype.click = function () {
    saved.push({ url: this.href, name: this.download });
  };
  await window.warploom.ready;

  const marks = (svg) => svg.querySelectorAll(
    ".role-mark:not([aria-hidden]) > path[aria-label]," +
    " .role-mark path[stroke][d*='L']");
  const overlap = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 &&
                            a.top < b.bottom - 1 && b.top < a.bottom - 1;
  function wheel(element, keys) {
    const box = element.getBoundingClientRect();
    const event = new WheelEvent("wheel", Object.assign({ bubbles: true,
      cancelable: true, deltaY: -240, clientX: box.left + box.width / 2,
      clientY: box.top + box.height / 2 }, keys));
    element.dispatchEvent(event);
    return event.defaultPrevented;
  }
  function pointer(element, type, dx, dy) {
    const box = element.getBoundingClientRect();
    element.dispatchEvent(new PointerEvent(type, { bubbles: true,
      cancelable: true, view: window, clientX: box.left + box.width / 2 + dx,
      clientY: box.top + box.height / 2 + dy }));
  }
  function same(view, axes, was) {
    return axes.every((a, i) =>
      String(view.scale(a).domain()) === String(was[i]));
  }

  function texts(svg) {
    const box = svg.getBoundingClientRect();
    for (const text of svg.querySelectorAll("text")) {
      if (text.textContent === "" || text.closest("[opacity='0']")) continue;
      const b = text.getBoundingClientRect();
      check(b.left >= box.left - 1 && b.right <= box.right + 1 &&
            b.top >= box.top - 1 && b.bottom <= box.bottom + 1,
            "'" + text.textContent + "' sticks out");
    }
    for (const group of svg.querySelectorAll(
         ".role-axis-label, .role-legend-label")) {
      let last = null;
      for (const text of group.querySelectorAll("text")) {
        if (text.getAttribute("opacity") === "0" ||
            /rotate\(-?(45|315)\)/.test(text.getAttribute("transform"))) {
          continue;
        }
        const b = text.getBoundingClientRect();
        check(!last || !overlap(b, last),
              "names lie on each other at '" + text.textContent + "'");
        last = b;
      }
    }
  }

  async function zooms(view, svg) {
    const box = svg.querySelector(".background");
    const axes = ["x", "y"].filter((a) =>
      view.getState({ signals: (n) => n === "zoom_" + a }).signals &&
      typeof view.scale(a).invert === "function");
    const was = axes.map((a) => view.scale(a).domain());
    check(!wheel(box, {}), "the wheel alone does not scroll the page");
    await view.runAsync();
    check(same(view, axes, was), "the wheel alone zooms");
    check(wheel(box, { ctrlKey: true }), "Ctrl and the wheel zoom the page");
    await view.runAsync();
    check(!same(view, axes, was), "it cannot be zoomed");
    counts.zoomed += !same(view, axes, was);
    box.dispatchEvent(new MouseEvent("dblclick", { bubbles: true,
                                                   view: window }));
    await view.runAsync();
    check(same(view, axes, was), "two clicks do not zoom back");
    pointer(box, "pointerdown", 0, 0);
    pointer(box, "pointermove", 20, 30);
    await view.runAsync();
    pointer(box, "pointerup", 20, 30);
    check(!same(view, axes, was), "it cannot be moved");
    counts.moved += !same(view, axes, was);
    box.dispatchEvent(new MouseEvent("dblclick", { bubbles: true,
                                                   view: window }));
    await view.runAsync();
  }

  async function legend(view, svg) {
    const keys = svg.querySelectorAll(".role-legend-symbol path");
    if (keys.length < 2) return;
    const before = marks(svg).length;
    const click = async (key) => {
      key.dispatchEvent(new MouseEvent("click", { bubbles: true,
                                                  view: window }));
      await view.runAsync();
    };
    await click(svg.querySelectorAll(".role-legend-symbol path")[0]);
    const one = marks(svg).length;
    check(one > 0 && one < before, "its legend leaves " + one + " of " +
          before + " marks");
    await click(svg.querySelectorAll(".role-legend-symbol path")[1]);
    check(marks(svg).length > one, "its legend adds none to one");
    await click(svg.querySelectorAll(".role-legend-symbol path")[1]);
    await click(svg.querySelectorAll(".role-legend-symbol path")[0]);
    check(marks(svg).length === before, "its legend does not show all again");
    counts.switched += 1;
  }

  async function tip(svg) {
    const mark = svg.querySelector(".role-mark path[aria-label]");
    check(mark, "no mark says what it is");
    if (!mark) return;
    pointer(mark, "pointerover", 0, 0);
    pointer(mark, "pointermove", 0, 0);
    const box = document.getElementById("vg-tooltip-element");
    const said = mark.getAttribute("aria-label");
    check(box && box.classList.contains("visible") &&
          box.textContent.trim() === said, "no tooltip '" + said + "'");
    counts.tips += 1;
    pointer(mark, "pointerout", 0, 0);
  }

  async function saves(view, figure, title) {
    for (const button of figure.querySelectorAll(".save button")) {
      check(button.title.includes(title), "a button does not name the figure");
      const so_far = saved.length;
      button.click();
      for (let i = 0; i < 100 && saved.length === so_far; i++) {
        await new Promise((done) => setTimeout(done, 20));
      }
    }
    const [svg, png] = saved.splice(0);
    check(svg && svg.name.endsWith(".svg") && png.name.endsWith(".png"),
          "files are called " + (svg && svg.name));
    if (!png) return;
    const text = await (await fetch(svg.url)).text();
    check(new DOMParser().parseFromString(text, "image/svg+xml")
          .querySelector("parsererror") === null && text.includes(title),
          "what is saved is no SVG");
    const blob = await (await fetch(png.url)).blob();
    check(blob.type === "image/png" && blob.size > 1000, "no PNG is saved");
    counts.saved += 1;
    const links = figure.querySelectorAll(".vega-actions a[download]");
    // What vega saves has no patterns; the buttons' files do (patterns.js).
    const own = figure.querySelector("[fill^='url(#hatch']") ||
                figure.querySelector("script").textContent.includes('"patterns"');
    check(own || links.length === 2 && links[0].download.endsWith(".svg"),
          "no menu to save it");
  }

  const figures = Array.from(document.querySelectorAll("figure"));
  check(figures.length >= 3, "fewer than three charts");
  for (const [i, figure] of figures.entries()) {
    const view = window.warploom.views[i], svg = figure.querySelector("svg");
    name = JSON.parse(figure.querySelector("script").textContent).title.text;
    check(view && svg, "is not drawn");
    if (!view || !svg) continue;
    const box = svg.getBoundingClientRect();
    check(box.width > 300 && box.height > 100, "has no size");
    check(marks(svg).length > 0, "has no marks");
    texts(svg);
    try {
      await tip(svg);
      await legend(view, svg);
      await zooms(view, svg);
      await saves(view, figure, name);
    } catch (error) {
      check(false, String(error.stack || error));
    }
  }
  document.body.dataset.problems = found.length;
  document.body.dataset.counts = JSON.stringify(counts).replace(/"/g, "");
  const out = document.createElement("pre");
  out.id = "found";
  out.textContent = found.join("\n");
  document.body.appendChild(out);
  document.body.dataset.done = "yes";
}());
