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

  function save(view, kind, name) {
    return view.toImageURL(kind, kind === "png" ? 2 : 1).then(function (url) {
      const link = document.createElement("a");
      link.href = url;
      link.download = name + "." + kind;
      link.click();
      return url;
    });
  }

  function buttons(figure, view, title, name) {
    for (const kind of ["svg", "png"]) {
      const button = document.createElement("button");
      button.textContent = kind.toUpperCase();
      button.title = "Save \u201c" + title + "\u201d as " + button.textContent;
      button.setAttribute("aria-label", button.title);
      button.addEventListener("click", function () { save(view, kind, name); });
      figure.querySelector(".save").appendChild(button);
    }
  }

  function draw(figure, i) {
    const specification =
      JSON.parse(figure.querySelector("script").textContent);
    const title = specification.title.text;
    const name = title.replace(/[^A-Za-z0-9]+/g, "_") || "figure" + (i + 1);
    return vegaEmbed(figure.querySelector(".chart"), specification, {
      renderer: "svg",
      downloadFileName: name,
      actions: { export: true, source: true, compiled: false, editor: false },
    }).then(function (result) {
      views[i] = result.view;
      buttons(figure, result.view, title, name);
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
