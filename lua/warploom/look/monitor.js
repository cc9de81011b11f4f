// The page of the live monitor (run/monitor.lua): asks for the run's state once
// a second and shows it.  What comes from the run is put in as text only.
"use strict";
(function () {
  const PERIOD = 700;
  // Okabe and Ito's colours, and more of them in pale: as figures have them.
  const COLOURS = ["#009E73", "#0072B2", "#56B4E9", "#E69F00", "#D55E00",
    "#CC79A7", "#F0E442", "#8CC2E0", "#F5D38C", "#8CD0BC", "#E8C4D8", "#B5DDF5",
    "#EDB78C", "#5B5B5B", "#d8d8d8"];
  const at = (id) => document.getElementById(id);
  let layout = null, look = "", failures = 0, views = {}, cells = [];
  let shown = 0;

  // ---- small things

  function make(tag, text, attributes) {
    const element = document.createElement(tag);
    if (text !== undefined && text !== null) element.textContent = text;
    for (const name in attributes || {}) {
      element.setAttribute(name, attributes[name]);
    }
    return element;
  }

  function number(value) {
    if (value === null || value === undefined) return "\u2013";
    if (Number.isInteger(value)) return value.toLocaleString("en");
    if (value !== 0 && Math.abs(value) < 0.001) return value.toExponential(2);
    return value.toLocaleString("en", { maximumSignificantDigits: 4 });
  }
  function percent(part) {
    return part === null || part === undefined ? "\u2013" :
      (100 * part).toFixed(part < 0.1 ? 1 : 0) + " %";
  }
  function duration(seconds) {
    if (seconds === null || seconds === undefined) return "\u2013";
    if (seconds < 90) return seconds.toFixed(0) + " s";
    if (seconds < 5400) return (seconds / 60).toFixed(0) + " min";
    return (seconds / 3600).toFixed(1) + " h";
  }
  function simulated(seconds) {
    if (seconds === null || seconds === undefined) return "\u2013";
    return number(seconds * 1e6) + " \u00b5s";
  }

  function fill(table, rows) {
    table.replaceChildren();
    for (const row of rows) {
      const line = make("tr");
      row.forEach((cell) => line.appendChild(cell instanceof Node ? cell :
        make("td", cell)));
      table.appendChild(line);
    }
  }
  function head(names) {
    return names.map((name) => make("th", name, { scope: "col" }));
  }

  function gauge(part) {
    const cell = make("td"), box = make("span", null, { class: "fill" });
    const inner = make("i");
    inner.className = part >= 0.9 ? "full" : part >= 0.6 ? "high" : "";
    inner.style.width = 100 * Math.min(part, 1) + "%";
    box.appendChild(inner);
    cell.append(box, percent(part));
    return cell;
  }

  // ---- what is said of the run

  function show_progress(state) {
    const p = state.progress || {};
    const paused = state.status === "paused";
    const running = paused || state.status === "running";
    at("status").textContent = state.status;
    at("pause").disabled = paused || !running;
    at("continue").disabled = !paused;
    at("snapshot").disabled = at("stop").disabled = !running || !!state.sweep;
    const part = p.fraction === undefined ? 0 : p.fraction;
    at("kernel_bar").firstElementChild.style.width = 100 * part + "%";
    at("kernel_bar").setAttribute("aria-valuenow", Math.round(100 * part));
    const rows = [
      ["kernel", p.kernel ? p.kernel + ", " + percent(p.fraction) :
        "between kernels"],
      ["time left of the kernel", duration(p.left)],
      ["kernels done", number(p.kernels)],
      ["simulated time", simulated(p.seconds)],
      ["cycles", number(p.cycles)],
      ["warp instructions", number(p.insts)],
      ["host speed", number(Math.round((p.insts_per_second || 0) / 100) / 10) +
        " thousand warp instructions/s, " +
        number(Math.round((p.cycles_per_second || 0) / 100) / 10) +
        " thousand cycles/s"],
      ["host time", duration(p.wall)],
    ];
    if (p.run_fraction !== undefined) {
      rows.splice(2, 0, ["the run", percent(p.run_fraction) +
        " of where it stops, " + duration(p.run_left) + " left"]);
    }
    if (state.snapshots > 0) {
      rows.push(["snapshots from here", number(state.snapshots)]);
    }
    fill(at("progress"), rows);
  }

  // The points of a sweep, each with a page of its own while it runs.
  function show_sweep(state) {
    const sweep = state.sweep, p = state.progress;
    at("points").replaceChildren();
    if (!sweep) return;
    fill(at("progress"), [
      ["points", number(sweep.done) + " of " + number(sweep.all) + " done, " +
        number(sweep.failed) + " failed"],
      ["time left", duration(p.left)], ["host time", duration(p.wall)]]);
    fill(at("points"), [head(["point", "state", ""])].concat(
      sweep.points.map((point) => {
        const more = make("td", point.why || "");
        if (/^http:\/\/127\.0\.0\.1:/.test(point.address || "")) {
          more.appendChild(make("a", "look", { href: point.address,
            target: "_blank", rel: "noopener noreferrer" }));
        }
        return [point.label, point.state, more];
      })));
  }

  function show_bounds(state) {
    const b = state.bounds;
    const p = state.progress || {};
    at("interval").textContent = p.interval ?
      "Of the last " + simulated(p.interval) + " that were simulated." : "";
    if (!b) return;
    fill(at("bounds"), [["bound by", b.bound], ["try", b.try],
                        ["slots", b.slots || "\u2013"]]);
    const stages = Array.isArray(b.stages) ? b.stages : [];
    fill(at("stages"), [head(["stage", "no room, or busy", ""])].concat(
      stages.map((s) => [s.name, gauge(s.full), make("td", s.tells,
                         { style: "white-space: normal" })])));
  }

  // ---- links: those whose ends differ in their numbers only are one kind

  function kinds_of(links) {
    const kinds = new Map();
    links.forEach((link, i) => {
      const plain = (end) => end.replace(/\[\d+\]/g, "");
      const key = plain(link.client) + " \u2192 " + plain(link.server);
      if (!kinds.has(key)) kinds.set(key, { name: key, members: [] });
      kinds.get(key).members.push(i);
    });
    return Array.from(kinds.values());
  }

  function of_kind(kind, loads, which) {
    let sum = 0, most = -1, fullest = 0;
    for (const i of kind.members) {
      const load = loads[2 * i + which];
      sum += load;
      if (load > most) [most, fullest] = [load, i];
    }
    const room = layout.links[kind.members[0]][which ? "reply" : "request"];
    return { mean: sum / kind.members.length, most: most, fullest: fullest,
             room: room };
  }

  function show_links(state) {
    if (!state.links || !layout.kinds) return;
    const rows = [head(["link", "", "requests", "fullest", "replies",
                        "fullest"])];
    for (const kind of layout.kinds) {
      const row = [kind.name, "\u00d7" + kind.members.length];
      for (const which of [0, 1]) {
        const k = of_kind(kind, state.links, which);
        if (k.room === 0) {
          row.push("\u2013", "");
        } else {
          const link = layout.links[k.fullest];
          row.push(gauge(k.mean), make("td", percent(k.most), { title:
            link.client + " \u2192 " + link.server + ", room for " + k.room }));
        }
      }
      rows.push(row);
    }
    fill(at("links"), rows);
  }

  // ---- what warps wait for

  function show_legend() {
    at("legend").replaceChildren();
    const keys = layout.slots.length ? layout.slots[0].keys : [];
    keys.forEach((key, i) => {
      const item = make("span"), box = make("i");
      box.style.background = COLOURS[i % COLOURS.length];
      item.append(box, key.replace(/_/g, " "));
      at("legend").appendChild(item);
    });
  }

  function show_slots(state) {
    if (!Array.isArray(state.slots)) return;
    const lines = [];
    state.slots.forEach((rows, n) => {
      const slots = layout.slots[n];
      rows.forEach((values, row) => {
        const all = values.reduce((a, b) => a + b, 0);
        const line = make("div", null, { class: "slots" });
        const stack = make("div", null, { class: "stack", role: "img" });
        const says = [];
        values.forEach((value, i) => {
          if (all === 0 || value === 0) return;
          const part = make("i");
          part.style.width = 100 * value / all + "%";
          part.style.background = COLOURS[i % COLOURS.length];
          part.title = slots.keys[i] + " " + percent(value / all);
          says.push(part.title);
          stack.appendChild(part);
        });
        stack.setAttribute("aria-label", says.join(", "));
        line.append(make("span", slots.paths[row]), stack);
        lines.push(line);
      });
    });
    at("slots").replaceChildren(...lines);
  }

  // ---- the tree of the machine

  function details_of(groups, name, into) {
    const parts = name.split("/");
    let path = "", inner = into;
    for (const part of parts) {
      path += (path ? "/" : "") + part;
      if (!groups.has(path)) {
        const box = make("details"), title = make("summary", part);
        box.appendChild(title);
        inner.appendChild(box);
        groups.set(path, box);
      }
      inner = groups.get(path);
    }
    return inner;
  }

  function chooser(info) {
    const select = make("select", null, { "aria-label": "which of them" });
    select.appendChild(make("option", "all " + info.paths.length + " together",
                            { value: "" }));
    for (const path of info.paths) {
      select.appendChild(make("option", path, { value: path }));
    }
    select.addEventListener("change", function () {
      look = select.value;
      document.querySelectorAll("#tree select").forEach((other) => {
        if (other !== select) other.value = "";
      });
    });
    return select;
  }

  function show_tree() {
    const groups = new Map();
    cells = [];
    at("tree").replaceChildren();
    layout.classes.forEach((info, n) => {
      const box = details_of(groups, info.group, at("tree"));
      box.firstElementChild.append(" ", make("small", "\u00d7" +
        info.paths.length + " " + info.type));
      const select = info.paths.length > 1 ? chooser(info) : null;
      const table = make("table");
      table.appendChild(make("tr"));
      table.firstElementChild.append(make("th", "statistic"),
        make("th", "so far", { class: "n" }),
        make("th", "in the interval", { class: "n" }), make("th", "unit"));
      cells[n] = { box: box, select: select, of: [] };
      info.stats.forEach((stat, i) => {
        const row = make("tr"), total = make("td", "", { class: "n" });
        const last = make("td", "", { class: "n" });
        row.append(make("td", stat.name, { title: stat.doc }), total, last,
                   make("td", stat.unit === "1" ? "" : stat.unit));
        table.appendChild(row);
        cells[n].of[i] = [total, last];
      });
      const first = box.querySelector(":scope > details");
      if (select) box.insertBefore(select, first);
      box.insertBefore(table, first);
    });
    if (at("tree").firstElementChild) at("tree").firstElementChild.open = true;
  }

  function cell_text(value) {
    if (value === null || typeof value !== "object") return number(value);
    if ("mean" in value && "count" in value) {
      return number(value.count) + " of mean " + number(value.mean);
    }
    const parts = Object.keys(value).filter((key) => value[key] !== 0);
    return parts.map((key) => key + " " + number(value[key])).join(", ") || "0";
  }

  function show_classes(state) {
    if (!Array.isArray(state.classes)) return;
    state.classes.forEach((values, n) => {
      const own = cells[n];
      if (!own || !own.box.open) return;
      let from = values;
      if (own.select && own.select.value) {
        if (!state.look || state.look.path !== own.select.value) return;
        from = state.look.values;
      }
      from.forEach((pair, i) => {
        own.of[i][0].textContent = cell_text(pair[0]);
        own.of[i][1].textContent = cell_text(pair[1]);
      });
    });
  }

  // ---- charts

  const charts = {
    chart_ipc: { title: "Warp instructions per cycle",
                 lines: { ipc: "warp instructions/cycle" } },
    chart_parts: { title: "Hit ratios, and DRAM's data bus",
                   lines: { l1: "L1 hits", l2: "L2 hits", dram: "DRAM busy" } },
    chart_speed: { title: "Host speed, warp instructions/s",
                   lines: { speed: "warp instructions/s" } },
  };

  function specification(chart, rows) {
    const names = Object.values(chart.lines);
    const ratio = names.length > 1;
    return {
      $schema: "https://vega.github.io/schema/vega-lite/v6.json",
      width: "container", height: 170, background: "white",
      autosize: { type: "fit", contains: "padding" },
      title: { text: chart.title, anchor: "start", fontSize: 14 },
      config: { font: '"DejaVu Sans", Verdana, Arial, sans-serif',
                view: { stroke: null }, axis: { gridColor: "#e2e2e2" } },
      data: { name: "points", values: rows },
      mark: { type: "line", interpolate: "linear", strokeWidth: 1.6 },
      encoding: {
        x: { field: "time", type: "quantitative",
             scale: { zero: false, nice: false },
             title: "simulated time (\u00b5s)" },
        y: { field: "value", type: "quantitative", title: null,
             axis: { format: ratio ? ".0%" : "~s", tickCount: 5 },
             scale: ratio ? { domain: [0, 1], clamp: true } : { zero: true } },
        color: { field: "name", type: "nominal", title: null,
                 legend: ratio ? { orient: "top" } : null,
                 scale: { domain: names,
                          range: ["#0072B2", "#E69F00", "#009E73"] } },
      },
    };
  }

  function no_charts(why) {
    document.querySelectorAll("figure").forEach((figure) => {
      figure.hidden = true;
    });
    at("no_charts").textContent = why;
    views = null;
  }

  function points_of(chart, history) {
    const rows = [];
    for (const point of history) {
      for (const key in chart.lines) {
        if (point[key] === undefined || point[key] === null) continue;
        rows.push({ time: point.time, name: chart.lines[key],
                    value: point[key] });
      }
    }
    return rows;
  }

  // Charts are made once there is something to show, and then grow.
  async function show_charts(state) {
    const history = Array.isArray(state.history) ? state.history : [];
    if (!views || history.length < 2) return;
    for (const id in charts) {
      const rows = points_of(charts[id], history);
      if (rows.length === 0) {
        at(id).parentElement.hidden = true;
      } else if (views[id]) {
        await views[id].change("points", vega.changeset().remove(() => true)
          .insert(rows)).resize().runAsync();
      } else {
        at(id).parentElement.hidden = false;
        views[id] = (await vegaEmbed(at(id), specification(charts[id], rows),
          { renderer: "svg", actions: false })).view;
      }
    }
    document.body.dataset.points = history.length;
  }

  // ---- asking

  async function get(name) {
    const answer = await fetch(name, { cache: "no-store" });
    if (!answer.ok) throw new Error(name + ": " + answer.status);
    return answer.json();
  }

  async function new_run() {
    layout = await get("layout");
    const of = layout.workload || "";
    document.title = of + " \u2013 warploom";
    at("title").textContent = of || "warploom";
    at("what").textContent = [layout.machine, layout.script,
      layout.file ? "results in " + layout.file : null,
      layout.functional ? "functional: nothing is timed" : null]
      .filter(Boolean).join(", ");
    at("machine_parts").hidden = !layout.classes || layout.classes.length === 0;
    layout.links = layout.links || [];
    layout.slots = layout.slots || [];
    layout.classes = layout.classes || [];
    layout.kinds = kinds_of(layout.links);
    look = "";
    show_legend();
    show_tree();
  }

  async function turn() {
    try {
      const state = await get("state?look=" + encodeURIComponent(look));
      if (!layout || layout.run !== state.run) await new_run();
      failures = 0;
      at("status").className = "";
      show_progress(state);
      show_sweep(state);
      show_bounds(state);
      show_links(state);
      show_slots(state);
      show_classes(state);
      await show_charts(state);
      shown += 1;
      document.body.dataset.shown = shown;
    } catch (error) {
      failures += 1;
      document.body.dataset.error = String(error);
      if (failures > 2) {
        at("status").className = "gone";
        at("status").textContent = "warploom has ended, or cannot be " +
          "reached; this is what was seen last";
        document.querySelectorAll(".buttons button").forEach((button) => {
          button.disabled = true;
        });
      }
    }
    setTimeout(turn, failures > 2 ? 5 * PERIOD : PERIOD);
  }

  for (const name of ["pause", "continue", "snapshot", "stop"]) {
    at(name).addEventListener("click", function () {
      at(name).disabled = true;
      fetch(name, { method: "POST" });
    });
  }
  if (typeof vegaEmbed === "undefined") {
    no_charts("Charts are drawn by Vega-Lite, which is not installed here: " +
      "./setup.sh charts fetches it.");
  }
  turn();
}());
