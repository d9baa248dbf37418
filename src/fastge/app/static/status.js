// What the page says: hints over the image, errors, and the line below it.

import { nameOf } from "./palette.js";

const $ = (id) => document.getElementById(id);
const TOAST_SECONDS = 9;
const STAGES = { coarse: "Coarse", final: "Final", full: "Full size" };

export const seconds = (value) => `${value < 10 ? value.toFixed(2) : value.toFixed(0)} s`;
export const times = (width, height) => `${width} × ${height}`;

let timer;
export function toast(message, kind = "bad") {
  $("toast").dataset.kind = kind;
  $("toast-text").textContent = message;
  $("toast").hidden = false;
  clearTimeout(timer);
  timer = setTimeout(hideToast, 1000 * TOAST_SECONDS);
}

export function hideToast() {
  $("toast").hidden = true;
}

export function setHint(text) {
  $("hint").textContent = text ?? "";
}

export function setStage(stage, text) {
  $("stage-mark").dataset.stage = stage;
  $("stage-mark").textContent = text;
}

export function clearAnswer() {
  setStage("", "Ready");
  for (const id of ["seconds", "regions", "violated"]) $(id).textContent = "";
}

// `first` are the seconds after which the coarse answer was there, if there was one.
export function tellAnswer(answer, first, classes) {
  const { stage, sizes, painted, violated } = answer;
  setStage(stage, STAGES[stage]);
  $("seconds").textContent = stage === "full" ? seconds(answer.seconds)
    : stage === "final" && first ? `first ${seconds(first)}, final ${seconds(answer.waited)}`
      : seconds(answer.waited);
  $("seconds").title = `since the stroke; computed in ${seconds(answer.seconds)}`;
  const count = Object.keys(sizes).length;
  $("regions").textContent = `${count} ${count === 1 ? "region" : "regions"}`;
  $("violated").textContent = violated ? `${violated} of ${painted} painted pixels violated` : "no violations";
  $("violated").classList.toggle("some", violated > 0);
  if (stage === "coarse") return;
  const total = Object.values(sizes).reduce((sum, size) => sum + size, 0);
  const parts = Object.entries(sizes).map(
    ([j, size]) => `${nameOf(classes, Number(j))} ${Math.round((100 * size) / total)} percent`);
  $("spoken").textContent =
    `Segmented: ${parts.join(", ")}. ${painted - violated} of ${painted} painted pixels kept.`;
}
