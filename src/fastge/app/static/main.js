// The page: what is shown, what is asked for, and what the server says.

import { ClassList } from "./classes.js";
import { connectControls, resolutionSteps } from "./controls.js";
import { drawLines, drawRegions, enlarged, places, thinned } from "./overlay.js";
import { Painting } from "./painting.js";
import { coloured } from "./eigenvectors.js";
import { connectOpening } from "./opening.js";
import { colourOf } from "./palette.js";
import { ask, openImage, Session } from "./session.js";
import { clearAnswer, hideToast, seconds, setHint, setStage, tellAnswer, times, toast } from "./status.js";
import { Scribbles } from "./strokes.js";
import { View } from "./view.js";

const $ = (id) => document.getElementById(id);
const SETTLED = 300; // ms without news, after which what is shown and what the server has must agree
const view = new View($("canvas"));
const page = {
  session: null, state: null, answer: null, scribbles: null, patterned: true,
  tool: "paint", brush: 8, background: 0, awaitsDraft: false, resolution: null, first: null,
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

function redraw(strokes = page.scribbles.strokes) {
  page.scribbles.replace(strokes, list.classes);
  if (painting.stroke) page.scribbles.draw(painting.stroke, list.classes);
  view.paint();
}

// Strokes on the way to the server and states on the way back may have crossed.
let settling;
function compareWhenSettled() {
  clearTimeout(settling);
  settling = setTimeout(async () => {
    const { session, state } = page;
    const agrees = () => page.scribbles.strokes.length === state.count && !list.isAhead;
    if (!state || painting.stroke || agrees()) return;
    const newest = await (await ask(session.address())).json();
    if (page.session === session) await hear.state(newest, true);
  }, SETTLED);
}

function recolour() {
  if (!page.scribbles) return;
  redraw();
  const { answer } = page;
  const fine = answer && enlarged(answer);
  view.layers.regions = answer && drawRegions(fine, list.classes, page.patterned);
  view.layers.lines = answer && drawLines(thinned(fine));
  view.badges = answer ? [...places(answer)].map(([j, { x, y }]) => ({
    x, y, text: j + 1, colour: colourOf(list.classes, j),
  })) : [];
  view.marks = answer ? answer.marks.map(([x, y]) => [
    (x + 0.5) / answer.solved[0], (y + 0.5) / answer.solved[1],
  ]) : [];
  view.paint();
}

// ---- what the server says ----

const hear = {
  async state(state, isSettled = false) {
    const isNew = page.state?.session !== state.session;
    page.state = state;
    if (isNew) await showImage(state);
    const isShown = list.set(state.classes, isNew || isSettled);
    if (state.strokes) redraw(state.strokes);
    if (!state.strokes || !isShown) compareWhenSettled();
    setHint(state.hint);
    if (!state.hint && page.answer?.revision !== state.revision) setStage("working", "Working…");
    controls.follow(state);
    view.paint();
  },
  labels(answer) {
    page.awaitsDraft = false;
    if (answer.stage === "coarse") page.first = answer;
    page.answer = answer;
    list.setSizes(answer.sizes);
    recolour();
    tellNewest();
    showBackground();
  },
  nothing({ hint }) {
    page.answer = null;
    page.awaitsDraft = false;
    list.setSizes({});
    recolour();
    setHint(hint);
    clearAnswer();
    showBackground();
  },
  working({ stage, width, height }) {
    controls.setFull(Boolean(stage));
    if (stage) {
      setStage("working", `${times(width, height)}…`);
      setHint(`Computing ${times(width, height)} pixels. Painting stops it.`);
    } else tellNewest();
  },
  full(answer) {
    controls.setFull(false);
    setHint("");
    hear.labels(answer);
    const { width, height } = page.state;
    const isWhole = answer.solved[0] === width && answer.solved[1] === height;
    const size = isWhole ? times(width, height) : `${times(...answer.solved)} (what fits into memory)`;
    toast(`Computed ${size} pixels in ${seconds(answer.seconds)}. Saved files use them.`, "good");
  },
  error({ message }) {
    list.isAhead = false;
    page.awaitsDraft = false;
    controls.setFull(false);
    tellNewest();
    toast(message);
  },
  lost({ isLong }) {
    setStage("lost", "Connecting…");
    if (isLong) toast("The server does not answer. Is fastge paint still running?");
  },
  async gone({ message }) {
    const wasNeverThere = !page.state;
    leave();
    if (wasNeverThere) await start(); // the image of the command line, after the server began anew
    if (!page.session) toast(message || "This image is not open any more; open it again.");
  },
};

function tellNewest() {
  const { answer, first } = page;
  if (!answer) clearAnswer();
  else tellAnswer(answer, first?.revision === answer.revision && first.waited, list.classes);
}

// ---- images ----

async function showImage(state) {
  const blob = await (await ask(page.session.address("image"))).blob();
  const picture = await createImageBitmap(blob);
  page.answer = page.first = null;
  page.scribbles = new Scribbles(state.width, state.height);
  document.body.dataset.state = "open";
  $("file").textContent = `${state.name} · ${times(state.width, state.height)}`;
  $("file").title = $("file").textContent;
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
  hideToast();
  setHint(`Opening ${file.name || "the image"}…`);
  try {
    join((await openImage(file)).session);
  } catch (cause) {
    setHint(page.state?.hint);
    toast(cause.message);
  } finally {
    delete document.body.dataset.busy;
  }
}

async function closeImage() {
  const address = page.session.address();
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
  if (page.answer.stage === "coarse" && view.layers.background) return;
  const { answer } = page;
  try {
    const blob = await (await ask(page.session.address(`eigenvectors/${page.background}`))).blob();
    const picture = await coloured(blob);
    if (page.answer === answer) view.layers.background = picture;
  } catch (cause) {
    toast(cause.message);
  }
  view.paint();
}

// ---- opening ----

connectOpening(openFile, toast);
$("close").addEventListener("click", closeImage);
$("toast").addEventListener("click", hideToast);

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
