// Appended to a copy of a timeline's page: works it as a reader would, and
// writes down what it found where timeline_page.sh can read it.
"use strict";
(async function () {
  const found = [];
  function check(ok, what) { if (!ok) found.push(what); }
  await window.warploom.ready;
  const view = window.warploom.view, canvas = view.canvas;
  const box = () => canvas.getBoundingClientRect();

  function inked() {
    const data = canvas.getContext("2d").getImageData(0, 0, canvas.width,
      canvas.height).data;
    const colours = new Set();
    for (let i = 0; i < data.length; i += 404) {
      colours.add(data[i] + "," + data[i + 1] + "," + data[i + 2]);
    }
    return colours.size;
  }
  function click(x, y) {
    for (const type of ["pointerdown", "pointerup"]) {
      canvas.dispatchEvent(new PointerEvent(type, { bubbles: true,
        clientX: box().left + x, clientY: box().top + y, buttons: 1 }));
    }
  }
  function turn(keys) {
    const event = new WheelEvent("wheel", Object.assign({ bubbles: true,
      cancelable: true, deltaY: -240, clientX: box().left + 400,
      clientY: box().top + 50 }, keys));
    canvas.dispatchEvent(event);
    return event.defaultPrevented;
  }

  check(inked() > 5, "nothing is drawn");
  check(window.warploom.loads.length > 100, "there are no loads");
  // The parts of all loads add up, as in the table.
  for (const load of window.warploom.loads) {
    const sum = load.parts.reduce((a, p) => a + p.end - p.start, 0);
    if (sum !== load.end - load.start) {
      check(false, load.name + ": its parts are " + sum + " ns");
      break;
    }
  }
  const rows = document.querySelectorAll("#instructions tbody tr");
  check(rows.length === window.warploom.instructions.length && rows.length > 2,
        "the table has " + rows.length + " rows");
  const loads = window.warploom.loads.filter((l) => l.args.kind === "load");
  const counted = window.warploom.instructions.reduce((a, i) => a + i.count, 0);
  check(counted === loads.length, "the table has " + counted + " loads");

  // Zooming, moving, all again.
  const span = () => view.to - view.from, whole = span();
  check(!turn({}) && span() === whole, "the wheel alone zooms");
  check(turn({ ctrlKey: true }) && span() < whole, "the wheel does not zoom");
  document.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape" }));
  check(span() >= whole, "Escape does not show all");

  // A group is closed by a click on its bar, and opened again.
  const kernels = view.lines[0].group, lines = view.lines.length;
  click(300, view.lines[0].y + 5);
  check(!kernels.open && view.lines.length < lines, "a group does not close");
  click(300, view.lines[0].y + 5);
  check(kernels.open && view.lines.length === lines, "it does not open again");

  // From all to one load's way.
  document.querySelector("#slowest").click();
  const slowest = view.chosen;
  check(slowest && loads.every((l) => l.end - l.start <=
        slowest.end - slowest.start), "it is not the slowest load");
  check(span() < 1.3 * (slowest.end - slowest.start), "it is not shown alone");
  const told = document.querySelector("#chosen");
  check(told.textContent.includes(slowest.name) &&
        told.querySelectorAll("tr").length === slowest.parts.length,
        "its parts are not told");
  // A click on one of its parts tells that one.
  const line = view.lines.find((l) => l.row &&
                                      l.row.slices.includes(slowest));
  const part = slowest.parts.reduce((a, b) =>
    b.end - b.start > a.end - a.start ? b : a);
  click(view.x((part.start + part.end) / 2), line.y + 15 * part.depth + 7);
  check(view.chosen === part, "a click does not choose a part");

  const pre = document.createElement("pre");
  pre.id = "found";
  pre.textContent = found.join("\n");
  document.body.appendChild(pre);
  document.body.dataset.problems = found.length;
  document.body.dataset.done = "yes";
}());
