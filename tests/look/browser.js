// Appended to a copy of a report: works it as a reader would, and writes down
// what it found where browser.sh can read it.
window.addEventListener("load", function () {
  "use strict";
  var found = [];
  function check(ok, what) { if (!ok) found.push(what); }
  var figures = document.querySelectorAll("figure svg");
  check(figures.length >= 3, "fewer than three charts");
  figures.forEach(function (svg) {
    var name = svg.querySelector("text.title").textContent;
    var box = svg.getBoundingClientRect();
    check(box.width > 300 && box.height > 100, name + ": has no size");
    var marks = svg.querySelectorAll(".mark, .line");
    check(marks.length > 0, name + ": has no marks");
    check(svg.querySelectorAll("[data-tip]").length > 0, name + ": no tips");
    // Text stays inside its figure.
    svg.querySelectorAll("text").forEach(function (text) {
      var b = text.getBoundingClientRect();
      check(b.left >= box.left - 1 && b.right <= box.right + 1 &&
            b.top >= box.top - 1 && b.bottom <= box.bottom + 1,
            name + ": '" + text.textContent + "' sticks out");
    });
    // Names below the axis do not lie on each other, unless they are turned.
    var names = Array.from(svg.querySelectorAll(
      'text[text-anchor="middle"]:not([transform])'));
    names.forEach(function (a, i) {
      var next = names[i + 1] && names[i + 1].getBoundingClientRect();
      var b = a.getBoundingClientRect();
      check(!next || Math.abs(next.top - b.top) > 2 || next.left >= b.right - 1,
            name + ": names lie on each other at '" + a.textContent + "'");
    });
    // Entries of a legend do not overlap.
    var keys = Array.from(svg.querySelectorAll(".key")), last = null;
    keys.forEach(function (key) {
      var b = key.getBoundingClientRect();
      check(!last || b.top > last.top + 4 || b.left >= last.right,
            name + ": entries of the legend overlap");
      last = b;
    });
    if (keys.length > 1) {
      var key = keys[0], series = ".s" + key.dataset.series;
      var before = svg.querySelectorAll(series + ":not(.gone)").length;
      key.dispatchEvent(new MouseEvent("click", { bubbles: true }));
      check(before > 0 &&
            svg.querySelectorAll(series + ":not(.gone)").length === 0,
            name + ": the legend does not switch its series off");
      check(window.warploom.text(svg).indexOf('class="gone') < 0,
            name + ": what is switched off is saved");
      key.dispatchEvent(new MouseEvent("click", { bubbles: true }));
      check(svg.querySelectorAll(series + ":not(.gone)").length === before,
            name + ": the legend does not switch its series on");
    }
    check(new DOMParser().parseFromString(window.warploom.text(svg),
          "image/svg+xml").querySelector("parsererror") === null,
          name + ": what is saved is no SVG");
  });
  // The tooltip shows what a mark says.
  var mark = document.querySelector("[data-tip]");
  mark.dispatchEvent(new MouseEvent("mousemove", { bubbles: true,
                                                   clientX: 50, clientY: 50 }));
  var tip = document.getElementById("tip");
  check(tip.style.display === "block" &&
        tip.textContent === mark.dataset.tip, "no tooltip");
  window.warploom.png(figures[0], function (blob) {
    check(blob && blob.size > 1000 && blob.type === "image/png",
          "no PNG is made");
    document.body.dataset.problems = found.length;
    var out = document.createElement("pre");
    out.id = "found";
    out.textContent = found.join("\n");
    document.body.appendChild(out);
    document.body.dataset.done = "yes";
  });
});
