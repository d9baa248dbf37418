// Buttons, sliders and keys around the canvas.

import { ask } from "./session.js";
import { setHint } from "./status.js";

const $ = (id) => document.getElementById(id);
const STEPS = [5e4, 1e5, 2e5, 4e5, 8e5, 1.6e6, 4e6];
const STORE = "fastge-paint-view";

// Working resolutions that make sense for an image, the last one being its own where allowed.
export function resolutionSteps({ width, height }) {
  const own = width * height;
  const below = STEPS.filter((step) => step < own);
  return own <= STEPS.at(-1) ? [...below, Math.max(own, 20000)] : below;
}

export function connectControls({ page, view, list, painting, recolour, redraw, send, toast, showBackground }) {
  const shown = { "show-lines": "lines", "show-scribbles": "scribbles", "show-badges": "badges", "show-marks": "marks" };

  function setTool(tool) {
    page.tool = tool;
    document.querySelector(`input[name=tool][value=${tool}]`).checked = true;
    $("canvas").dataset.tool = tool;
    view.paint();
  }

  function setBrush(value) {
    page.brush = Math.min(60, Math.max(1, value));
    $("brush").value = page.brush;
    $("brush-value").textContent = `${page.brush}`;
    if (view.brush) painting.showBrush(view.brush.x, view.brush.y);
  }

  function setOpacity(value) {
    $("opacity").value = value;
    $("opacity-value").textContent = `${value} %`;
    view.options.opacity = value / 100;
    view.paint();
  }

  function readChecks() {
    for (const [id, option] of Object.entries(shown)) view.options[option] = $(id).checked;
    const patterned = $("show-patterns").checked;
    if (patterned !== page.patterned) {
      page.patterned = list.patterned = patterned;
      list.build();
      recolour();
    }
    view.paint();
  }

  function store() {
    const checks = Object.fromEntries([...Object.keys(shown), "show-patterns"].map((id) => [id, $(id).checked]));
    localStorage.setItem(STORE, JSON.stringify({ checks, opacity: Number($("opacity").value), brush: page.brush }));
  }

  function restore() {
    let stored = {};
    try {
      stored = JSON.parse(localStorage.getItem(STORE)) ?? {};
    } catch { /* what cannot be read is not worth a word */ }
    for (const [id, value] of Object.entries(stored.checks ?? {})) if ($(id)) $(id).checked = value;
    setOpacity(stored.opacity ?? 50);
    setBrush(stored.brush ?? 8);
    readChecks();
  }

  function toggle(id) {
    $(id).checked = !$(id).checked;
    readChecks();
    store();
  }

  function showSettings() {
    const step = page.resolution?.[Number($("resolution").value)];
    if (!step) return;
    const pixels = Math.min(step, page.state.width * page.state.height);
    $("resolution-value").textContent = pixels < 1e4 ? `${pixels} px` : `${(pixels / 1e6).toFixed(2)} Mpx`;
  }

  function sendSettings() {
    const extra = Math.min(8, Math.max(0, Math.round(Number($("extra").value)) || 0));
    $("extra").value = extra;
    send({ type: "settings", working_pixels: Math.round(page.resolution[Number($("resolution").value)]), extra });
  }

  async function save(kind) {
    $("save").open = false;
    setHint("Saving…");
    try {
      const answer = await ask(page.session.address(`files/${kind}`));
      const name = decodeURIComponent(answer.headers.get("Content-Disposition").split("''")[1]);
      const link = Object.assign(document.createElement("a"), {
        href: URL.createObjectURL(await answer.blob()), download: name,
      });
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 60000);
    } catch (cause) {
      toast(cause.message);
    }
    setHint(page.state?.hint);
  }

  document.querySelectorAll("input[name=tool]").forEach((radio) =>
    radio.addEventListener("change", () => setTool(radio.value)));
  document.querySelectorAll("[data-file]").forEach((button) =>
    button.addEventListener("click", () => save(button.dataset.file)));
  for (const type of ["undo", "redo", "clear"]) $(type).addEventListener("click", () => send({ type }));
  $("full").addEventListener("click", () => {
    $("save").open = false;
    send({ type: "full" });
  });
  $("brush").addEventListener("input", () => setBrush(Number($("brush").value)));
  $("opacity").addEventListener("input", () => setOpacity(Number($("opacity").value)));
  for (const id of ["brush", "opacity"]) $(id).addEventListener("change", store);
  for (const id of [...Object.keys(shown), "show-patterns"]) {
    $(id).addEventListener("change", () => {
      readChecks();
      store();
    });
  }
  $("background").addEventListener("change", () => {
    page.background = Number($("background").value);
    view.layers.background = null;
    showBackground();
  });
  $("resolution").addEventListener("input", showSettings);
  for (const id of ["resolution", "extra"]) $(id).addEventListener("change", sendSettings);
  $("zoom-in").addEventListener("click", () => view.zoomBy(1.4));
  $("zoom-out").addEventListener("click", () => view.zoomBy(1 / 1.4));
  $("zoom-fit").addEventListener("click", () => view.fit());
  $("keys").addEventListener("click", () => {
    $("more").open = false;
    $("help").showModal();
  });
  document.addEventListener("click", (event) => {
    for (const menu of document.querySelectorAll("details.menu[open]")) {
      if (!menu.contains(event.target)) menu.open = false;
    }
  });

  const KEYS = {
    b: () => setTool("paint"), e: () => setTool("erase"), h: () => setTool("move"),
    "[": () => setBrush(page.brush - Math.max(1, Math.round(page.brush / 6))),
    "]": () => setBrush(page.brush + Math.max(1, Math.round(page.brush / 6))),
    "+": () => view.zoomBy(1.4), "=": () => view.zoomBy(1.4), "-": () => view.zoomBy(1 / 1.4), 0: () => view.fit(),
    l: () => toggle("show-lines"), p: () => toggle("show-patterns"), s: () => toggle("show-scribbles"),
    n: () => toggle("show-badges"), v: () => toggle("show-marks"),
    "?": () => $("help").showModal(),
  };

  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") document.querySelectorAll("details.menu[open]").forEach((menu) => (menu.open = false));
    if (!page.state || $("help").open || event.target.matches("input[type=text], input[type=number], select")) return;
    const key = event.key.toLowerCase();
    if (event.ctrlKey || event.metaKey) {
      const type = key === "z" ? (event.shiftKey ? "redo" : "undo") : key === "y" ? "redo" : null;
      if (!type) return;
      painting.finish();
      send({ type });
    } else if (/^[1-9]$/.test(key)) {
      list.choose(Number(key) - 1);
      setTool("paint");
    } else if (KEYS[key] && !event.altKey) KEYS[key]();
    else return;
    event.preventDefault();
  });

  restore();
  setTool("paint");

  return {
    // Show what the server has accepted.
    follow(state) {
      $("undo").disabled = !state.can_undo;
      $("redo").disabled = !state.can_redo;
      $("clear").disabled = !page.scribbles.strokes.length;
      $("extra").value = state.extra;
      const steps = page.resolution;
      const nearest = steps.reduce((best, step, j) =>
        Math.abs(Math.log(step / state.working.pixels)) < Math.abs(Math.log(steps[best] / state.working.pixels)) ? j : best, 0);
      $("resolution").max = steps.length - 1;
      $("resolution").value = nearest;
      showSettings();
      const { width, height } = state.working;
      $("works-on").textContent = `works on ${width} × ${height} pixels`;
      $("sizes").textContent = `works on ${width} × ${height} of ${state.width} × ${state.height} pixels`;
      $("full-size").textContent = `${state.width} × ${state.height}`;
      this.setFull(false);
    },
    setFull(isBusy) {
      const { working, width } = page.state;
      const isAlready = working.width === width;
      $("full").disabled = isBusy || isAlready;
      $("full-note").textContent = isAlready
        ? "The working resolution is that of the image."
        : "Files have the size of the image. Regions are enlarged from the working resolution until they are computed at full size.";
    },
    offerEigenvectors(count) {
      const select = $("background");
      if (select.options.length === count + 1) return;
      const wanted = Math.min(page.background, count);
      const options = Array.from({ length: count + 1 }, (_, j) => new Option(j ? `Eigenvector ${j}` : "Image", j));
      select.replaceChildren(...options);
      select.value = page.background = wanted;
    },
  };
}
