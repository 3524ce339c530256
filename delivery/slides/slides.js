"use strict";
const slides = [...document.querySelectorAll("section")];
let at = 0;

function show(place) {
  at = Math.max(0, Math.min(slides.length - 1, place));
  slides.forEach((slide, number) => slide.classList.toggle("shown", number === at));
  document.getElementById("place").textContent = `${at + 1} of ${slides.length}`;
  document.getElementById("back").disabled = at === 0;
  document.getElementById("on").disabled = at === slides.length - 1;
  history.replaceState(null, "", `#${at + 1}`);
}

// Numbers are predicted first: a table waits for a press.
for (const numbers of document.querySelectorAll("tbody")) {
  const button = document.createElement("button");
  button.className = "reveal";
  button.textContent = "Reveal";
  button.addEventListener("click", () => { numbers.classList.remove("hidden"); button.remove(); });
  numbers.classList.add("hidden");
  numbers.closest("table").after(button);
}

document.getElementById("back").addEventListener("click", () => show(at - 1));
document.getElementById("on").addEventListener("click", () => show(at + 1));
document.addEventListener("keydown", event => {
  if (event.target.closest("button, a") && [" ", "Enter"].includes(event.key)) return;
  const moves = { ArrowRight: 1, PageDown: 1, " ": 1, ArrowLeft: -1, PageUp: -1 };
  if (event.key in moves) { show(at + moves[event.key]); event.preventDefault(); }
});
// One tab for the app: the slides stay where they are, and no link opens a further one.
for (const link of document.querySelectorAll("a")) link.target = "composition";
window.addEventListener("hashchange", () => show(Number(location.hash.slice(1)) - 1));
show((Number(location.hash.slice(1)) || 1) - 1);
