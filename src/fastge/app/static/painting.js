// Pointers and keys on the canvas → strokes, moves and zooms.

import { ERASER } from "./strokes.js";

const BETWEEN_DRAFTS = 180; // ms
const PRECISION = 10;
const WHEEL = 0.0016;

export class Painting {
  // `brush()` gives { tool, kind, radius, colour }; `show(stroke, from)` draws what is new of a
  // stroke, `send(type, stroke)` hands it over, `drop()` forgets it.
  constructor(view, { brush, show, send, drop }) {
    Object.assign(this, { view, brush, show, send, drop });
    this.pointers = new Map();
    this.stroke = null;
    this.pen = null; // of the keyboard
    const { canvas } = view;
    canvas.addEventListener("pointerdown", (event) => this.down(event));
    canvas.addEventListener("pointermove", (event) => this.move(event));
    for (const end of ["pointerup", "pointercancel"]) {
      canvas.addEventListener(end, (event) => this.up(event));
    }
    canvas.addEventListener("pointerleave", () => this.stroke || this.hideBrush());
    canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener("keydown", (event) => this.key(event));
    canvas.addEventListener("blur", () => this.finish());
  }

  spot(event) {
    const box = this.view.canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  down(event) {
    this.view.canvas.focus({ preventScroll: true });
    try {
      this.view.canvas.setPointerCapture(event.pointerId);
    } catch { /* a pointer that is gone already cannot be captured */ }
    this.pointers.set(event.pointerId, this.spot(event));
    if (this.pointers.size === 2) {
      this.cancel(); // a second finger: the first one meant to move
      return;
    }
    this.isMoving = event.button !== 0 || this.brush().tool === "move";
    if (!this.isMoving && this.pointers.size === 1) this.begin(...this.view.toImage(...this.spot(event)));
  }

  move(event) {
    const now = this.spot(event);
    const before = this.pointers.get(event.pointerId);
    if (!before) {
      this.showBrush(...this.view.toImage(...now));
      return;
    }
    if (this.pointers.size === 2) this.pinch(event.pointerId, now);
    else if (this.isMoving) this.view.moveBy(now[0] - before[0], now[1] - before[1]);
    else if (this.stroke) {
      const events = event.getCoalescedEvents?.() ?? [];
      for (const part of events.length ? events : [event]) {
        this.extend(...this.view.toImage(...this.spot(part)));
      }
    }
    this.pointers.set(event.pointerId, now);
  }

  up(event) {
    this.pointers.delete(event.pointerId);
    if (event.type === "pointercancel") this.cancel();
    else if (!this.pointers.size) this.finish();
    if (event.pointerType === "touch") this.hideBrush();
  }

  pinch(id, now) {
    const before = this.pointers.get(id);
    const [other] = [...this.pointers].filter(([key]) => key !== id).map(([, spot]) => spot);
    const reach = (spot) => Math.max(1, Math.hypot(spot[0] - other[0], spot[1] - other[1]));
    this.view.moveBy((now[0] - before[0]) / 2, (now[1] - before[1]) / 2);
    this.view.zoomBy(reach(now) / reach(before), (now[0] + other[0]) / 2, (now[1] + other[1]) / 2);
  }

  wheel(event) {
    event.preventDefault();
    const lines = event.deltaMode === 1 ? 16 : 1;
    this.view.zoomBy(Math.exp(-event.deltaY * lines * WHEEL * (event.ctrlKey ? 4 : 1)), ...this.spot(event));
  }

  begin(x, y) {
    const { tool, kind, radius } = this.brush();
    this.stroke = { kind: tool === "erase" ? ERASER : kind, radius, points: [] };
    this.drafted = performance.now();
    this.extend(x, y);
  }

  extend(x, y) {
    const { stroke } = this;
    const point = [x, y].map((c) => Math.round(c * PRECISION) / PRECISION);
    const last = stroke.points.slice(-2);
    this.showBrush(x, y, true);
    if (last.length && Math.hypot(point[0] - last[0], point[1] - last[1]) < 0.5 / this.view.zoom) return;
    stroke.points.push(...point);
    this.show(stroke, stroke.points.length / 2 - 1);
    const now = performance.now();
    if (stroke.points.length > 2 && now - this.drafted > BETWEEN_DRAFTS && this.send("draft", stroke)) {
      this.drafted = now;
    }
  }

  finish() {
    if (!this.stroke) return;
    const { stroke } = this;
    this.stroke = null;
    this.send("stroke", stroke);
    this.view.paint();
  }

  cancel() {
    if (!this.stroke) return;
    this.stroke = null;
    this.drop();
  }

  key(event) {
    const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const step = steps[event.key];
    const { width, height } = this.view.size;
    this.pen ??= [width / 2, height / 2];
    if (step) {
      const reach = (event.shiftKey ? 40 : 8) / this.view.zoom;
      this.pen = [
        Math.min(width, Math.max(0, this.pen[0] + step[0] * reach)),
        Math.min(height, Math.max(0, this.pen[1] + step[1] * reach)),
      ];
      if (this.stroke) this.extend(...this.pen);
      else this.showBrush(...this.pen);
    } else if (event.key === " " || event.key === "Enter") {
      if (this.stroke) this.finish();
      else if (this.brush().tool !== "move") this.begin(...this.pen);
    } else if (event.key === "Escape") {
      this.cancel();
    } else return;
    event.preventDefault();
  }

  showBrush(x, y, isDown = false) {
    const { tool, radius, colour } = this.brush();
    this.pen = [x, y];
    this.view.brush = tool === "move" ? null
      : { x, y, radius, isDown, colour: tool === "erase" ? "#1f2933" : colour };
    this.view.paint();
  }

  hideBrush() {
    this.view.brush = null;
    this.view.paint();
  }
}
