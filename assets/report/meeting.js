"use strict";
(() => {
  const data = JSON.parse(document.getElementById("answers").textContent);
  const sliders = data.values.map((_, number) => document.getElementById(`axis${number}`));
  const present = sliders.map((slider) => slider.value);
  const part = (name) => document.getElementById(name);
  const xs = part("line").dataset.xs.split(" ");
  const bottom = Number(part("line").dataset.bottom);
  const top = Number(part("line").dataset.top);
  const up = (share) => bottom - (bottom - top) * Math.min(share / data.top, 1);

  // The last slider moves fastest.
  const cellAt = (places) => data.cells[places.reduce((at, place, number) => at * data.values[number].length + place, 0)];

  function show() {
    const places = sliders.map((slider) => Number(slider.value));
    places.forEach((place, number) => {
      const words = data.values[number][place];
      part(`value${number}`).textContent = words;
      sliders[number].setAttribute("aria-valuetext", words);
    });
    const cell = cellAt(places);
    part("answer").className = `verdict ${cell.kind}`;
    part("text").textContent = cell.text;
    part("verdict").textContent = cell.verdict;
    part("span").textContent = cell.span;
    const line = xs.map((x, place) => [x, cellAt([place, ...places.slice(1)]).share]).filter(([, share]) => share !== null);
    part("line").setAttribute("points", line.map(([x, share]) => `${x},${up(share)}`).join(" "));
    const here = part("here");
    here.setAttribute("visibility", cell.share === null ? "hidden" : "visible");
    here.setAttribute("cx", xs[places[0]]);
    here.setAttribute("cy", up(cell.share ?? 0));
  }

  sliders.forEach((slider) => slider.addEventListener("input", show));
  part("back").addEventListener("click", () => {
    sliders.forEach((slider, number) => { slider.value = present[number]; });
    show();
  });
  show();
})();
