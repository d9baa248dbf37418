// Labels → pictures: coloured regions, cut lines, and a place inside every region for its number.

import { colourOf, lighter, onPattern, rgb } from "./palette.js";

export const NO_LABEL = 255;
const WHITE = 0xffffffff;
const DARK = 0x80201810;
const PIXELS = 7e5;
const MOST_ENLARGED = 6;
const GRID = 140; // cells across, when places of numbers are looked for

// Small images with every pixel repeated, so that lines and patterns are fine on them, too.
export function enlarged(answer) {
  const { labels, width, height } = answer;
  const factor = Math.min(MOST_ENLARGED, Math.max(1, Math.round(Math.sqrt(PIXELS / (width * height)))));
  if (factor === 1) return answer;
  const fine = new Uint8Array(labels.length * factor * factor);
  for (let y = 0, i = 0; y < height * factor; y++) {
    const row = Math.floor(y / factor) * width;
    for (let x = 0; x < width; x++) for (let f = 0; f < factor; f++) fine[i++] = labels[row + x];
  }
  return { labels: fine, width: width * factor, height: height * factor };
}

// Large images with pixels left out, so that lines are seen on them, too.
export function thinned(answer) {
  const { labels, width, height } = answer;
  const step = Math.ceil(Math.sqrt((width * height) / (2 * PIXELS)));
  if (step === 1) return answer;
  const [across, down] = [Math.ceil(width / step), Math.ceil(height / step)];
  const coarse = new Uint8Array(across * down);
  for (let y = 0, i = 0; y < down; y++) {
    for (let x = 0; x < across; x++) coarse[i++] = labels[y * step * width + x * step];
  }
  return { labels: coarse, width: across, height: down };
}

function canvasOf(width, height, pixels) {
  const canvas = new OffscreenCanvas(width, height);
  canvas.getContext("2d").putImageData(new ImageData(pixels, width, height), 0, 0);
  return canvas;
}

const pack = ([r, g, b]) => (255 << 24) | (b << 16) | (g << 8) | r;

export function drawRegions({ labels, width, height }, classes, patterned) {
  const plain = new Uint32Array(256);
  const light = new Uint32Array(256);
  for (let j = 0; j < NO_LABEL; j++) {
    const colour = rgb(colourOf(classes, j));
    plain[j] = pack(colour);
    light[j] = pack(lighter(colour));
  }
  const period = Math.max(6, Math.round(Math.sqrt(width * height) / 56));
  const pixels = new Uint8ClampedArray(4 * width * height);
  const words = new Uint32Array(pixels.buffer);
  for (let y = 0, i = 0; y < height; y++) {
    for (let x = 0; x < width; x++, i++) {
      const j = labels[i];
      words[i] = patterned && j !== NO_LABEL && onPattern(j, x, y, period) ? light[j] : plain[j];
    }
  }
  return canvasOf(width, height, pixels);
}

// White between dark edges, so that they show on any image.
export function drawLines({ labels, width, height }) {
  const pixels = new Uint8ClampedArray(4 * width * height);
  const words = new Uint32Array(pixels.buffer);
  const cut = (i, j) => {
    if (labels[i] !== labels[j]) words[i] = words[j] = WHITE;
  };
  const edge = (i, j) => {
    if (words[i] === WHITE && !words[j]) words[j] = DARK;
    else if (words[j] === WHITE && !words[i]) words[i] = DARK;
  };
  for (const mark of [cut, edge]) {
    for (let y = 0, i = 0; y < height; y++) {
      for (let x = 0; x < width; x++, i++) {
        if (x + 1 < width) mark(i, i + 1);
        if (y + 1 < height) mark(i, i + width);
      }
    }
  }
  return canvasOf(width, height, pixels);
}

// For every class the middle of its roomiest place, as fractions of the image.
export function places({ labels, width, height }) {
  const step = Math.max(1, Math.ceil(width / GRID));
  const across = Math.ceil(width / step);
  const down = Math.ceil(height / step);
  const at = (x, y) => labels[Math.min(height - 1, y * step + (step >> 1)) * width
    + Math.min(width - 1, x * step + (step >> 1))];
  const room = new Uint16Array(across * down);
  const spread = (x, y, dx, dy) => {
    const [u, v] = [x + dx, y + dy];
    if (u < 0 || v < 0 || u >= across || v >= down || at(u, v) !== at(x, y)) return 0;
    return room[v * across + u];
  };
  for (let y = 0; y < down; y++) {
    for (let x = 0; x < across; x++) {
      room[y * across + x] = 1 + Math.min(spread(x, y, -1, 0), spread(x, y, 0, -1), spread(x, y, -1, -1));
    }
  }
  const best = new Map();
  for (let y = down - 1; y >= 0; y--) {
    for (let x = across - 1; x >= 0; x--) {
      const back = 1 + Math.min(spread(x, y, 1, 0), spread(x, y, 0, 1), spread(x, y, 1, 1));
      const here = (room[y * across + x] = Math.min(room[y * across + x], back));
      const j = at(x, y);
      if (j !== NO_LABEL && here > (best.get(j)?.room ?? 0)) {
        best.set(j, { room: here, x: ((x + 0.5) * step) / width, y: ((y + 0.5) * step) / height });
      }
    }
  }
  return best;
}
