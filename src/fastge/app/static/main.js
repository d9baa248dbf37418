// The page: what is shown, what is asked for, and what the server says.

import { ClassList } from "./classes.js";
import { connectControls, resolutionSteps } from "./controls.js";
import { drawLines, drawRegions, enlarged, places } from "./overlay.js";
import { Painting } from "./painting.js";
import { colourOf, mapColour, nameOf } from "./palette.js";
import { ask, openImage, Session } from "./session.js";
import { Scribbles } from "./strokes.js";
import { View } from "./view.js";

const $ = (id) => document.getElementById(id);
const view = new View($("canvas"));
const page = {
  session: null, state: null, answer: null, scribbles: null, patterned: true,
  tool: "paint", brush: 8, background: 0, awaitsDraft: false, resolution: null,
};
const list = new ClassList($("classes"), $("add-class"), {
  changed(classes) {
    page.session?.send({ type: "classes", classes });
    page.state.classes = classes;
    recolour();
  },
  chosen: () => view.paint(),
});
const painting = new Painting(view, {
  brush: () => ({
    tool: page.tool, kind: list.chosen, radius: brushRadius(),
    colour: colourOf(list.classes, list.chosen),
  }),
  show(stroke, from) {
    page.scribbles.draw(stroke, list.classes, from);
    view.paint();
  },
  send(type, stroke) {
    if (type === "draft" && page.awaitsDraft) return false;
    page.session.send({ type, ...stroke });
    page.awaitsDraft = type === "draft";
    if (type === "stroke") {
      page.scribbles.strokes.push(stroke);
      setHint("");
    }
    return true;
  },
  drop: () => redraw(),
});
const controls = connectControls({ page, view, list, painting, recolour, redraw, send, toast, showBackground });

// The brush is sized on the screen of a fitted image, whatever the image's own size.
function brushRadius() {
  return (page.brush * Math.max(page.state.width, page.state.height)) / 900;
}

function send(message) {
  page.session?.send(message);
}

function redraw() {
  page.scribbles.replace(page.scribbles.strokes, list.classes);
  view.paint();
}

function recolour() {
  if (!page.scribbles) return;
  redraw();
  const { answer } = page;
  const fine = answer && enlarged(answer);
  view.layers.regions = answer && drawRegions(fine, list.classes, page.patterned);
  view.layers.lines = answer && drawLines(fine);
  view.badges = answer ? [...places(answer)].map(([j, { x, y }]) => ({
    x, y, text: j + 1, colour: colourOf(list.classes, j),
  })) : [];
  view.marks = answer ? answer.marks.map(([x, y]) => [
    (x + 0.5) / answer.width, (y + 0.5) / answer.height,
  ]) : [];
  view.paint();
}

let toastTimer;
export function toast(message) {
  $("toast").textContent = message;
  $("toast").hidden = false;
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => ($("toast").hidden = true), 9000);
}
$("toast").addEventListener("click", () => ($("toast").hidden = true));

function setHint(text) {
  $("hint").textContent = text ?? "";
}

function setStage(stage, text) {
  $("stage-mark").dataset.stage = stage;
  $("stage-mark").textContent = text;
}

// ---- what the server says ----

const hear = {
  async state(state) {
    const isNew = page.state?.session !== state.session;
    const strokes = state.strokes ?? page.scribbles.strokes;
    page.state = state;
    if (isNew) await showImage(state);
    list.set(state.classes);
    page.scribbles.replace(strokes, list.classes);
    setHint(state.hint);
    if (!state.hint && page.answer?.revision !== state.revision) setStage("working", "Working…");
    controls.follow(state);
    view.paint();
  },
  labels(answer) {
    page.awaitsDraft = false;
    page.answer = answer;
    list.setSizes(answer.sizes);
    recolour();
    tellAnswer(answer);
    showBackground();
  },
  nothing({ hint }) {
    page.answer = null;
    page.awaitsDraft = false;
    list.setSizes({});
    recolour();
    setHint(hint);
    setStage("", "Ready");
    for (const id of ["seconds", "regions", "violated"]) $(id).textContent = "";
    showBackground();
  },
  working({ stage }) {
    if (stage) setStage("working", "Full resolution…");
    else if (page.answer) tellAnswer(page.answer);
    controls.setFull(Boolean(stage));
  },
  full(answer) {
    controls.setFull(false);
    setStage("full", "Full resolution");
    $("seconds").textContent = seconds(answer.seconds);
    toast(`Full resolution is ready (${answer.width} × ${answer.height}): saved files use it.`);
  },
  error({ message }) {
    page.awaitsDraft = false;
    controls.setFull(false);
    if (page.answer) tellAnswer(page.answer);
    else setStage("", "Ready");
    toast(message);
  },
  lost: () => setStage("lost", "Connecting…"),
  gone({ message }) {
    leave();
    toast(message || "This image is not open any more; open it again.");
  },
};

const seconds = (value) => `${value < 10 ? value.toFixed(2) : value.toFixed(0)} s`;

function tellAnswer(answer) {
  const names = { coarse: "Coarse", final: "Final" };
  const kept = answer.painted - answer.violated;
  setStage(answer.stage, names[answer.stage]);
  $("seconds").textContent = seconds(answer.seconds);
  $("regions").textContent = `${Object.keys(answer.sizes).length} regions`;
  $("violated").textContent = answer.violated ? `${answer.violated} of ${answer.painted} painted pixels violated` : "no violations";
  $("violated").classList.toggle("some", answer.violated > 0);
  if (answer.stage !== "final") return;
  const total = Object.values(answer.sizes).reduce((sum, size) => sum + size, 0);
  const parts = Object.entries(answer.sizes).map(
    ([j, size]) => `${nameOf(list.classes, Number(j))} ${Math.round((100 * size) / total)} percent`);
  $("spoken").textContent =
    `Segmented: ${parts.join(", ")}. ${kept} of ${answer.painted} painted pixels kept.`;
}

// ---- images ----

async function showImage(state) {
  const blob = await (await ask(page.session.address("image"))).blob();
  const picture = await createImageBitmap(blob);
  page.answer = null;
  page.scribbles = new Scribbles(state.width, state.height);
  document.body.dataset.state = "open";
  $("file").textContent = `${state.name} · ${state.width} × ${state.height}`;
  document.title = `${state.name} – fastge paint`;
  view.open(picture, { width: state.width, height: state.height });
  view.layers.scribbles = page.scribbles.canvas;
  view.resize();
  page.resolution = resolutionSteps(state);
}

function join(key) {
  page.session?.close();
  page.state = null;
  page.session = new Session(key, (message) => hear[message.type](message));
  history.replaceState(null, "", `/#${key}`);
}

function leave() {
  page.session?.close();
  Object.assign(page, { session: null, state: null, answer: null, background: 0 });
  document.body.dataset.state = "empty";
  $("file").textContent = "";
  setHint("");
  document.title = "fastge paint";
  history.replaceState(null, "", "/");
}

async function openFile(file) {
  document.body.dataset.busy = "";
  try {
    join((await openImage(file)).session);
  } catch (cause) {
    toast(cause.message);
  } finally {
    delete document.body.dataset.busy;
  }
}

async function closeImage() {
  const address = page.session.address("").slice(0, -1);
  leave();
  await ask(address, { method: "DELETE" }).catch((cause) => toast(cause.message));
}

// The background is the image or an eigenvector of the newest answer.
async function showBackground() {
  controls.offerEigenvectors(page.answer?.eigenvectors ?? 0);
  if (!page.background || !page.answer) {
    view.layers.background = null;
    view.paint();
    return;
  }
  if (page.answer.stage !== "final" && view.layers.background) return;
  const { answer } = page;
  try {
    const blob = await (await ask(page.session.address(`eigenvectors/${page.background}`))).blob();
    const grey = await createImageBitmap(blob, { colorSpaceConversion: "none" });
    if (page.answer === answer) view.layers.background = coloured(grey);
  } catch (cause) {
    toast(cause.message);
  }
  view.paint();
}

function coloured(grey) {
  const canvas = new OffscreenCanvas(grey.width, grey.height);
  const context = canvas.getContext("2d");
  context.drawImage(grey, 0, 0);
  const image = context.getImageData(0, 0, grey.width, grey.height);
  const table = Array.from({ length: 256 }, (_, value) => mapColour(value));
  for (let i = 0; i < image.data.length; i += 4) image.data.set(table[image.data[i]], i);
  context.putImageData(image, 0, 0);
  return canvas;
}

// ---- opening ----

for (const id of ["open", "open-too"]) $(id).addEventListener("click", () => $("chooser").click());
$("chooser").addEventListener("change", () => {
  if ($("chooser").files.length) openFile($("chooser").files[0]);
  $("chooser").value = "";
});
$("close").addEventListener("click", closeImage);
document.addEventListener("dragover", (event) => {
  event.preventDefault();
  document.body.classList.add("dropping");
});
document.addEventListener("dragleave", (event) => {
  if (!event.relatedTarget) document.body.classList.remove("dropping");
});
document.addEventListener("drop", (event) => {
  event.preventDefault();
  document.body.classList.remove("dropping");
  const [file] = event.dataTransfer.files;
  if (file) openFile(file);
  else toast("That was not a file. Drop an image file.");
});
document.addEventListener("paste", (event) => {
  const [file] = event.clipboardData.files;
  if (file) openFile(file);
});

async function start() {
  const key = location.hash.slice(1);
  if (location.search) history.replaceState(null, "", `/${location.hash}`); // the cookie has the token
  if (key) {
    join(key);
    return;
  }
  try {
    const { session } = await (await ask("/api/start", { method: "POST" })).json();
    if (session) join(session);
  } catch (cause) {
    toast(cause.message);
  }
}

start();
