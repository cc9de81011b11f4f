// The script of a report: vega-embed draws each figure, and buttons save one
// as it is shown.
"use strict";
(function () {
  const errors = [];
  const views = [];

  function note() {
    document.body.dataset.errors = errors.length;
    document.body.dataset.charts = views.filter(Boolean).length;
  }
  window.addEventListener("error", function (event) {
    errors.push(event.message);
    note();
  });

  // Patterns of fills, which the drawings of the page share, and which a saved
  // one takes along: vega knows nothing of them.
  function patterns(text) {
    if (!text || document.getElementById(/id="([^"]*)"/.exec(text)[1])) return;
    const holder = document.createElement("div");
    holder.innerHTML = '<svg width="0" height="0" style="position:absolute" ' +
      'aria-hidden="true">' + text + "</svg>";
    document.body.appendChild(holder.firstChild);
  }

  function url_of(svg) {
    return "data:image/svg+xml;charset=utf-8," + encodeURIComponent(svg);
  }

  function image(view, kind, text) {
    if (!text) return view.toImageURL(kind, kind === "png" ? 2 : 1);
    const svg = view.toSVG().then(function (drawn) {
      return drawn.replace(/<svg[^>]*>/, "$&" + text);
    });
    if (kind === "svg") return svg.then(url_of);
    return svg.then(function (drawn) {
      return new Promise(function (resolve, reject) {
        const picture = new Image();
        picture.onerror = reject;
        picture.onload = function () {
          const canvas = document.createElement("canvas");
          canvas.width = 2 * picture.width;
          canvas.height = 2 * picture.height;
          canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width,
                                            canvas.height);
          resolve(canvas.toDataURL("image/png"));
        };
        picture.src = url_of(drawn);
      });
    });
  }

  // Lines of a text that are no wider than there is room for.
  function wrapped(text, room, size) {
    const lines = [""];
    for (const word of [].concat(text ?? []).join(" ").split(" ")) {
      const line = lines[lines.length - 1];
      if (line && (line.length + word.length + 1) * size * 0.6 > room) {
        lines.push(word);
      } else {
        lines[lines.length - 1] = line ? line + " " + word : word;
      }
    }
    return lines;
  }

  // On a narrow screen titles take more lines, legends have fewer columns, and
  // names below an axis are turned.
  function fit(specification, room) {
    const title = specification.title, config = specification.config.title;
    const narrow = specification.usermeta?.narrow ?? {};
    title.text = wrapped(title.text, room, config.fontSize * 1.25); // bold
    if (title.subtitle) {
      title.subtitle = wrapped(title.subtitle, room, config.subtitleFontSize);
    }
    (function walk(value) {
      if (!value || typeof value !== "object") return;
      if (value.legend && value.legend.columns && narrow.legend) {
        const { most, cell, taken } = narrow.legend;
        value.legend.columns =
          Math.max(1, Math.min(most, Math.floor((room - taken) / cell)));
      }
      if (value.axis && value.axis.labelAngle === 0 && narrow.labels &&
          room / narrow.labels.count < narrow.labels.widest + 4) {
        value.axis.labelAngle = -45;
      }
      Object.entries(value).forEach(([key, one]) => key !== "data" &&
                                                    walk(one));
    }(specification));
    return specification;
  }

  function save(view, kind, name, text) {
    return image(view, kind, text).then(function (url) {
      const link = document.createElement("a");
      link.href = url;
      link.download = name + "." + kind;
      link.click();
      return url;
    });
  }

  function buttons(figure, view, title, name, text) {
    for (const kind of ["svg", "png"]) {
      const button = document.createElement("button");
      button.textContent = kind.toUpperCase();
      button.title = "Save \u201c" + title + "\u201d as " + button.textContent;
      button.setAttribute("aria-label", button.title);
      button.addEventListener("click", function () {
        save(view, kind, name, text);
      });
      figure.querySelector(".save").appendChild(button);
    }
  }

  function draw(figure, i) {
    const specification =
      JSON.parse(figure.querySelector("script").textContent);
    const title = specification.title.text;
    const name = title.replace(/[^A-Za-z0-9]+/g, "_") || "figure" + (i + 1);
    const about = specification.usermeta ?? {}, text = about.patterns;
    const chart = figure.querySelector(".chart");
    patterns(text);
    if (about.width) figure.classList.add("scaled"); // of parts side by side
    fit(specification, about.width ?? chart.clientWidth - 70);
    return vegaEmbed(chart, specification, {
      renderer: "svg",
      downloadFileName: name,
      actions: { export: !text, source: true, compiled: false, editor: false },
    }).then(function (result) {
      views[i] = result.view;
      buttons(figure, result.view, title, name, text);
    }).catch(function (error) {
      errors.push(String(error));
      figure.querySelector(".chart").className = "broken";
      figure.querySelector(".broken").textContent =
        "This figure cannot be drawn: " + error;
    }).then(note);
  }

  note();
  const figures = Array.from(document.querySelectorAll("figure"));
  window.warploom = {
    views: views,
    save: save,
    ready: Promise.all(figures.map(draw)),
  };
}());
