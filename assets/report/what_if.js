"use strict";
(() => {
  const data = JSON.parse(document.getElementById("cases").textContent);
  const part = (name) => document.getElementById(name);
  const sliders = data.map((_, number) => part(`doubt${number}`));

  function show(moved) {
    /* One assumption is changed at a time: the others go back to what is assumed. */
    sliders.forEach((slider, number) => {
      if (number !== moved) slider.value = data[number].present;
      const words = data[number].values[slider.value];
      part(`value${number}`).textContent = words;
      slider.setAttribute("aria-valuetext", words);
    });
    const at = Math.max(moved, 0);
    const row = data[at].cases[sliders[at].value];
    part("answer").className = `verdict ${row.kind}`;
    ["label", "text", "held", "span"].forEach((name) => { part(name).textContent = row[name]; });
  }

  sliders.forEach((slider, number) => slider.addEventListener("input", () => show(number)));
  part("back").addEventListener("click", () => show(-1));
  /* The printed and signed page shows the assumptions, not a case that was looked at. */
  window.addEventListener("beforeprint", () => show(-1));
})();
