// Looks at every page of the site in a frame as wide as a telephone, and works
// the switch for dark mode in one of them; writes what it found where
// browser.sh can read it.
"use strict";
(async function () {
  const pages = document.body.dataset.pages.split(" ");
  const found = [];
  const frame = document.createElement("iframe");
  frame.style.cssText = "width: 360px; height: 700px; border: 0";
  document.body.append(frame);

  function open(page) {
    return new Promise((resolve) => {
      frame.onload = () => resolve(frame.contentDocument);
      frame.src = page;
    });
  }
  let looked = 0;
  for (const page of pages) {
    const shown = await open(page);
    const wide = shown.documentElement.scrollWidth;
    if (wide > 360) found.push(page + " is " + wide + " wide");
    for (const image of shown.images) {
      if (!image.complete || image.naturalWidth === 0) {
        found.push(page + " has an empty image " + image.src);
      }
    }
    looked++;
  }

  const shown = await open("index.html");
  const style = (element) => frame.contentWindow.getComputedStyle(element);
  const switches = shown.querySelectorAll(".theme-toggle");
  const colours = { first: style(shown.body).backgroundColor };
  for (let i = 0; i < 3; i++) {
    switches[switches.length - 1].click();
    colours[shown.body.dataset.theme] = style(shown.body).backgroundColor;
  }
  document.body.dataset.first = colours.first;
  document.body.dataset.light = colours.light;
  document.body.dataset.dark = colours.dark;
  document.body.dataset.looked = looked;
  const out = document.createElement("pre");
  out.id = "found";
  out.textContent = found.join("\n");
  document.body.append(out);
  document.body.dataset.problems = found.length;
})();
