// The script of a timeline's page: rows on a canvas, from kernels to the parts
// of one load's way, and where loads spent their time, by instruction.
"use strict";
(function () {
  const ROW = 15, HEAD = 20, LABELS = 170, SCALE = 22;
  const colours = {
    queue: "#56b4e9", "NoC out": "#e69f00", "NoC back": "#f5d08a",
    "to DRAM": "#aa4499", DRAM: "#cc3311", "DRAM queue": "#ee7f6d", "DRAM back": "#f2b8ae",
    "L1 look-up": "#009e73", "L1 wait": "#6fcfb4", "L1 miss queue": "#3fb595",
    "L1 merged": "#b3e6d8", "L1 fill": "#d0efe7",
    "L2 look-up": "#0072b2", "L2 wait": "#7fb8dc", "L2 miss queue": "#4a94c6",
    "L2 merged": "#b9d8ee", "L2 fill": "#d4e7f4",
    "write-back": "#bbbbbb", execution: "#cc79a7",
    ready: "#009e73", memory: "#cc3311", result: "#e69f00", fetch: "#cc79a7",
    barrier: "#0072b2", atomic: "#882255", membar: "#56b4e9", drain: "#bbbbbb",
    hit: "#009e73", merged: "#b3e6d8", miss: "#cc3311", bypass: "#e69f00",
  };
  const others = ["#9fb7c9", "#c9c19f", "#b7c99f", "#c99fb7", "#9fc9bd"];

  function colour(name) {
    if (colours[name]) return colours[name];
    let sum = 0;
    for (let i = 0; i < name.length; i++) sum = sum * 31 + name.charCodeAt(i);
    return others[Math.abs(sum % others.length)];
  }

  function time(ns) {
    if (ns >= 1e6) return (ns / 1e6).toFixed(3) + " ms";
    return ns >= 1e3 ? (ns / 1e3).toFixed(3) + " us" : Math.round(ns) + " ns";
  }

  // ---- the file ----

  function slice_of(event) {
    const start = Math.round(event.ts * 1e3);
    return { name: event.name, start: start, args: event.args || null,
             begun: event.ph === "B" ? 1 : 0, end: start + Math.round((event.dur || 0) * 1e3), depth: 0 };
  }

  function row_of(groups, event) {
    let group = groups.get(event.pid);
    if (!group) {
      group = { pid: event.pid, name: String(event.pid), rows: new Map(),
                open: event.pid <= 10001 };
      groups.set(event.pid, group);
    }
    let row = group.rows.get(event.tid);
    if (!row) {
      row = { tid: event.tid, name: "", slices: [], depth: 1, begun: [] };
      group.rows.set(event.tid, row);
    }
    return [group, row];
  }

  // What lies within another slice of its row is below it.
  function nest(row) {
    const above = [];
    row.slices.forEach(function (s, i) { s.order = i; });
    row.slices.sort((a, b) => a.start - b.start || b.end - a.end ||
                              a.begun - b.begun || a.order - b.order);
    for (const s of row.slices) {
      while (above.length > 0 && (above[above.length - 1].end < s.end ||
                                  above[above.length - 1].end <= s.start)) {
        above.pop();
      }
      s.parent = above.length > 0 ? above[above.length - 1] : null;
      s.depth = above.length;
      row.depth = Math.max(row.depth, s.depth + 1);
      above.push(s);
    }
  }

  function read(events) {
    const groups = new Map();
    for (const event of events) {
      const [group, row] = row_of(groups, event);
      if (event.ph === "M") {
        if (event.name === "process_name") group.name = event.args.name;
        if (event.name === "thread_name") row.name = event.args.name;
      } else if (event.ph === "X") {
        row.slices.push(slice_of(event));
      } else if (event.ph === "B") {
        const begun = slice_of(event);
        row.slices.push(begun);
        row.begun.push(begun);
      } else if (event.ph === "E" && row.begun.length > 0) {
        row.begun.pop().end = Math.round(event.ts * 1e3);
      }
    }
    const list = Array.from(groups.values()).sort((a, b) => a.pid - b.pid);
    for (const group of list) {
      group.list = Array.from(group.rows.values())
        .filter((r) => r.slices.length > 0).sort((a, b) => a.tid - b.tid);
      group.list.forEach(nest);
    }
    return list.filter((g) => g.list.length > 0);
  }

  // ---- where loads spent their time ----

  // The instructions' slices with their parts.
  function loads_of(groups) {
    const loads = [];
    for (const group of groups) {
      for (const row of group.list) {
        for (const s of row.slices) {
          if (s.args && s.args.cycles !== undefined) {
            s.parts = [];
            loads.push(s);
          } else if (s.parent && s.parent.parts) {
            s.parent.parts.push(s);
          }
        }
      }
    }
    return loads;
  }

  function by_instruction(loads) {
    const found = new Map();
    for (const load of loads) {
      if (load.args.kind !== "load") continue;
      const key = [load.args.kernel, load.args.pc].join(" ");
      let one = found.get(key);
      if (!one) {
        one = { kernel: load.args.kernel, pc: load.args.pc, text: load.name,
                line: load.args.line, count: 0, time: 0, cycles: 0,
                parts: new Map() };
        found.set(key, one);
      }
      one.count++;
      one.time += load.end - load.start;
      one.cycles += load.args.cycles;
      for (const part of load.parts) {
        one.parts.set(part.name, (one.parts.get(part.name) || 0) +
                                 part.end - part.start);
      }
    }
    return Array.from(found.values()).sort((a, b) => b.time - a.time);
  }

  function element(name, text, parent) {
    const made = document.createElement(name);
    if (text !== undefined && text !== null) made.textContent = text;
    if (parent) parent.appendChild(made);
    return made;
  }

  // Parts of a whole as a bar; `pairs`: names and values.
  function bar(parent, pairs, whole) {
    const box = element("div", null, parent);
    box.className = "parts";
    for (const [name, value] of pairs) {
      const piece = element("span", null, box);
      piece.style.width = 100 * value / whole + "%";
      piece.style.background = colour(name);
      piece.title = name + ": " + (100 * value / whole).toFixed(1) + " %";
    }
    return box;
  }

  function show_instructions(list) {
    const body = document.querySelector("#instructions tbody");
    const most = list.length > 0 ? Math.max(...list.map(
      (one) => one.time / one.count)) : 1;
    const names = new Map();
    for (const one of list) {
      const row = element("tr", null, body);
      for (const cell of [one.kernel, one.pc, one.line || "", one.text,
                          one.count, (one.cycles / one.count).toFixed(1)]) {
        const made = element("td", cell, row);
        if (typeof cell === "number" || /^[\d.]+$/.test(cell)) {
          made.className = "n";
        }
      }
      const cell = element("td", null, row);
      cell.className = "chart";
      const pairs = Array.from(one.parts);
      bar(cell, pairs, one.time).style.width =
        100 * one.time / one.count / most + "%";
      for (const [name, value] of pairs) {
        names.set(name, (names.get(name) || 0) + value);
      }
    }
    const legend = document.querySelector("#legend");
    const whole = Array.from(names.values()).reduce((a, b) => a + b, 0);
    for (const [name, value] of Array.from(names).sort((a, b) => b[1] - a[1])) {
      const entry = element("span", null, legend);
      element("i", null, entry).style.background = colour(name);
      entry.appendChild(document.createTextNode(
        name + " " + (100 * value / whole).toFixed(1) + " %"));
    }
  }

  // ---- the rows ----

  function View(groups) {
    this.groups = groups;
    this.canvas = document.querySelector("#rows");
    this.context = this.canvas.getContext("2d");
    this.first = Infinity;
    this.last = 0;
    for (const g of groups) {
      for (const r of g.list) {
        for (const s of r.slices) {
          this.first = Math.min(this.first, s.start);
          this.last = Math.max(this.last, s.end);
        }
      }
    }
    if (this.first > this.last) this.first = this.last = 0;
    this.from = this.first;
    this.to = Math.max(this.last, this.first + 1);
    this.chosen = null;
    this.layout();
  }

  View.prototype.layout = function () {
    let y = SCALE;
    this.lines = [];
    for (const group of this.groups) {
      this.lines.push({ y: y, height: HEAD, group: group });
      y += HEAD;
      for (const row of group.open ? group.list : []) {
        this.lines.push({ y: y, height: row.depth * ROW + 3, row: row,
                          group: group });
        y += row.depth * ROW + 3;
      }
    }
    const width = this.canvas.parentNode.clientWidth;
    const scale = window.devicePixelRatio || 1;
    this.width = width;
    // What a canvas can be is limited; the rest is behind closed groups.
    this.height = Math.min(y + 6, 16000);
    this.canvas.style.height = this.height + "px";
    this.canvas.width = width * scale;
    this.canvas.height = this.height * scale;
    this.context.setTransform(scale, 0, 0, scale, 0, 0);
    this.draw();
  };

  View.prototype.x = function (t) {
    return LABELS + (t - this.from) / (this.to - this.from) *
           (this.width - LABELS);
  };
  View.prototype.time_at = function (x) {
    return this.from + (x - LABELS) / (this.width - LABELS) *
           (this.to - this.from);
  };

  // The first slice that may reach into the view, by start; those that began
  // before it are few: the ones above it.
  function from_index(row, start) {
    let low = 0, high = row.slices.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (row.slices[middle].start < start) low = middle + 1;
      else high = middle;
    }
    while (low > 0 && (row.slices[low - 1].end > start ||
                       row.slices[low - 1].parent)) {
      low--;
      if (!row.slices[low].parent) {
        if (row.slices[low].end <= start) { low++; break; }
      }
    }
    return low;
  }

  View.prototype.draw_row = function (line) {
    const c = this.context, until = [];
    const slices = line.row.slices;
    for (let i = from_index(line.row, this.from); i < slices.length; i++) {
      const s = slices[i];
      if (s.start > this.to) break;
      const left = Math.max(this.x(s.start), LABELS);
      const right = Math.min(this.x(s.end), this.width);
      if (right < LABELS || right <= (until[s.depth] || 0)) continue;
      until[s.depth] = Math.max(right, left + 0.7);
      const y = line.y + s.depth * ROW + 1;
      c.fillStyle = colour(s.name);
      c.fillRect(left, y, Math.max(right - left - 0.3, 0.7), ROW - 2);
      if (s === this.chosen) {
        c.strokeStyle = "#000";
        c.strokeRect(left, y, Math.max(right - left, 2), ROW - 2);
      }
      if (right - left > 28) {
        c.save();
        c.beginPath();
        c.rect(left, y, right - left - 2, ROW - 2);
        c.clip();
        c.fillStyle = "#000";
        c.fillText(s.name, left + 3, y + ROW - 5);
        c.restore();
      }
    }
  };

  View.prototype.draw_scale = function () {
    const c = this.context, span = this.to - this.from;
    let step = Math.pow(10, Math.ceil(Math.log10(span / 12)));
    if (span / step < 5) step /= 2;
    c.fillStyle = "#555";
    for (let t = Math.ceil(this.from / step) * step; t <= this.to; t += step) {
      const x = this.x(t);
      c.fillRect(x, 0, 0.5, this.height);
      if (x < this.width - 60) c.fillText(time(t), x + 3, 13);
    }
  };

  View.prototype.draw = function () {
    const c = this.context;
    c.font = "11px sans-serif";
    c.fillStyle = "#fff";
    c.fillRect(0, 0, this.width, this.height);
    this.draw_scale();
    for (const line of this.lines) {
      c.fillStyle = line.row ? "#333" : "#000";
      if (line.row) {
        this.draw_row(line);
        c.fillStyle = "#333";
        c.fillText(line.row.name.slice(0, 26), 14, line.y + ROW - 4);
      } else {
        c.fillStyle = "#eceff1";
        c.fillRect(0, line.y, this.width, HEAD - 1);
        c.fillStyle = "#000";
        c.fillText((line.group.open ? "\u25bc " : "\u25b6 ") + line.group.name +
                   " (" + line.group.list.length +
                   (line.group.list.length === 1 ? " row)" : " rows)"),
                   4, line.y + 14);
      }
    }
    document.body.dataset.from = Math.round(this.from);
    document.body.dataset.to = Math.round(this.to);
  };

  View.prototype.zoom = function (from, to) {
    const least = Math.max(to - from, 4);
    this.from = Math.max(from, this.first - least / 2);
    this.to = Math.min(this.from + least, this.last + least / 2);
    this.draw();
  };

  View.prototype.around = function (t, factor) {
    const part = (t - this.from) / (this.to - this.from);
    const span = Math.min((this.to - this.from) * factor,
                          (this.last - this.first) * 1.2 + 4);
    this.zoom(t - part * span, t - part * span + span);
  };

  View.prototype.at = function (x, y) {
    const line = this.lines.find((l) => y >= l.y && y < l.y + l.height);
    if (!line || !line.row) return { line: line };
    const t = this.time_at(x), depth = Math.floor((y - line.y) / ROW);
    const slack = (this.to - this.from) / this.width * 2;
    let best = null;
    for (const s of line.row.slices) {
      if (s.start > t + slack) break;
      if (s.depth === depth && s.end >= t - slack &&
          (!best || s.start <= t)) best = s;
    }
    return { line: line, slice: best };
  };

  // ---- what was chosen ----

  View.prototype.choose = function (s) {
    const box = document.querySelector("#chosen");
    this.chosen = s;
    box.textContent = "";
    if (s) {
      element("b", s.name, box);
      element("p", time(s.start) + " to " + time(s.end) + ": " +
                   time(s.end - s.start), box);
      const list = element("dl", null, box);
      for (const key of Object.keys(s.args || {})) {
        if (key === "slice") continue;
        element("dt", key, list);
        element("dd", key === "block" ? "0x" + s.args[key].toString(16)
                                      : s.args[key], list);
      }
      const parts = s.parts || [];
      if (parts.length > 0) {
        const whole = Math.max(s.end - s.start, 1);
        bar(box, parts.map((p) => [p.name, p.end - p.start]), whole);
        const table = element("table", null, box);
        for (const p of parts) {
          const row = element("tr", null, table);
          const cell = element("td", null, row);
          element("i", null, cell).style.background = colour(p.name);
          cell.appendChild(document.createTextNode(p.name));
          element("td", time(p.end - p.start), row).className = "n";
          element("td", (100 * (p.end - p.start) / whole).toFixed(1) + " %",
                  row).className = "n";
        }
      }
    } else {
      element("p", "Click on a slice.", box);
    }
    this.draw();
  };

  View.prototype.show = function (s) {
    const span = Math.max(s.end - s.start, 2);
    this.zoom(s.start - span * 0.1, s.end + span * 0.1);
    this.choose(s);
  };

  function listen(view) {
    const canvas = view.canvas;
    let held = null;
    canvas.addEventListener("wheel", function (event) {
      if (!event.ctrlKey && !event.shiftKey) return;
      event.preventDefault();
      view.around(view.time_at(event.offsetX), event.deltaY > 0 ? 1.25 : 0.8);
    }, { passive: false });
    canvas.addEventListener("pointerdown", function (event) {
      held = { x: event.offsetX, from: view.from, to: view.to, moved: false };
    });
    canvas.addEventListener("pointermove", function (event) {
      if (!held || event.buttons === 0) return;
      const moved = (held.x - event.offsetX) / (view.width - LABELS) *
                    (held.to - held.from);
      held.moved = held.moved || Math.abs(held.x - event.offsetX) > 3;
      if (held.moved) view.zoom(held.from + moved, held.to + moved);
    });
    canvas.addEventListener("pointerup", function (event) {
      const found = held && !held.moved &&
                    view.at(event.offsetX, event.offsetY);
      held = null;
      if (!found || !found.line) return;
      if (!found.line.row) {
        found.line.group.open = !found.line.group.open;
        view.layout();
      } else {
        view.choose(found.slice || null);
      }
    });
    canvas.addEventListener("dblclick", function (event) {
      const found = view.at(event.offsetX, event.offsetY);
      if (found.slice) view.show(found.slice);
    });
    document.addEventListener("keydown", function (event) {
      const middle = (view.from + view.to) / 2;
      const step = (view.to - view.from) / 5;
      const keys = {
        w: () => view.around(middle, 0.7), s: () => view.around(middle, 1.4),
        a: () => view.zoom(view.from - step, view.to - step),
        d: () => view.zoom(view.from + step, view.to + step),
        f: () => view.chosen && view.show(view.chosen),
        Escape: () => view.zoom(view.first, view.last),
      };
      if (keys[event.key] && !event.ctrlKey && !event.metaKey) {
        keys[event.key]();
      }
    });
    window.addEventListener("resize", () => view.layout());
  }

  const errors = [];
  window.addEventListener("error", function (event) {
    errors.push(event.message);
    document.body.dataset.errors = errors.length;
  });
  document.body.dataset.errors = 0;

  const file = JSON.parse(document.querySelector("#events").textContent);
  const groups = read(file.traceEvents);
  const loads = loads_of(groups);
  const instructions = by_instruction(loads);
  show_instructions(instructions);
  const view = new View(groups);
  listen(view);
  view.choose(null);
  document.querySelector("#slowest").addEventListener("click", function () {
    const slowest = loads.filter((l) => l.args.kind === "load").reduce(
      (a, b) => b.end - b.start > a.end - a.start ? b : a, loads[0]);
    if (!slowest) return;
    for (const g of groups) {
      g.open = g.open || g.list.some((r) => r.slices.includes(slowest));
    }
    view.layout();
    view.show(slowest);
  });
  document.querySelector("#all").addEventListener("click",
    () => view.zoom(view.first, view.last));
  document.body.dataset.loads = loads.length;
  window.warploom = { file: file, groups: groups, loads: loads, view: view,
                      instructions: instructions, ready: Promise.resolve() };
}());
