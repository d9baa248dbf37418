// The layer of scribbles, drawn as they are painted.

import { colourOf } from "./palette.js";

export const ERASER = -1;
const CASING = 1.5;
const PIXELS = 3e6; // of the layer, so that strokes are smooth on small images, too
const MOST_ENLARGED = 4;

export class Scribbles {
  constructor(width, height) {
    this.scale = Math.min(MOST_ENLARGED, Math.sqrt(PIXELS / (width * height)));
    this.canvas = new OffscreenCanvas(
      Math.max(1, Math.round(width * this.scale)), Math.max(1, Math.round(height * this.scale)));
    this.context = this.canvas.getContext("2d");
    this.context.lineCap = this.context.lineJoin = "round";
    this.strokes = [];
  }

  replace(strokes, classes) {
    this.strokes = strokes;
    this.context.clearRect(0, 0, this.canvas.width, this.canvas.height);
    for (const stroke of strokes) this.draw(stroke, classes);
  }

  add(stroke, classes) {
    this.strokes.push(stroke);
    this.draw(stroke, classes);
  }

  // The part of a stroke from its `from`-th point on.
  draw({ kind, radius, points }, classes, from = 0) {
    const { context, scale } = this;
    context.save();
    context.scale(scale, scale);
    context.beginPath();
    const start = 2 * Math.max(0, from - 1);
    context.moveTo(points[start], points[start + 1]);
    for (let i = start; i < points.length; i += 2) context.lineTo(points[i], points[i + 1]);
    if (kind === ERASER) {
      context.globalCompositeOperation = "destination-out";
      this.line(2 * radius + 2 * CASING / scale, "#000");
    } else {
      this.line(2 * radius + 2 * CASING / scale, "#fff");
      this.line(2 * radius, colourOf(classes, kind));
    }
    context.restore();
  }

  line(width, colour) {
    this.context.lineWidth = width;
    this.context.strokeStyle = colour;
    this.context.stroke();
  }
}
