// Colours and patterns of classes: two classes that look alike to one eye differ in the other.

export const COLOURS = [
  "#0072b2", "#e9a800", "#661150", "#1faa85", "#56b4e9", "#d55e00", "#cc79a7",
  "#f0e442", "#332288", "#999933", "#aa4499", "#44bb99",
];
const UNIT = [
  () => false,
  (x, y, p) => (x + y) % p < p / 5,
  (x, y, p) => Math.hypot((x % p) - p / 2, (y % p) - p / 2) < p / 5,
  (x, y, p) => (((x - y) % p) + p) % p < p / 5,
  (x, y, p) => y % p < p / 5,
  (x, y, p) => x % p < p / 7 || y % p < p / 7,
  (x, y, p) => x % p < p / 4,
];
const LIGHTEN = 0.38;

export const colourOf = (classes, j) => classes[j]?.colour ?? COLOURS[j % COLOURS.length];
export const nameOf = (classes, j) => classes[j]?.name ?? `Found ${j + 1 - classes.length}`;

export function rgb(colour) {
  const value = parseInt(colour.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

export function onPattern(j, x, y, period) {
  return UNIT[j % UNIT.length](x, y, period);
}

export const lighter = (colour) => colour.map((c) => Math.round(c + LIGHTEN * (255 - c)));

// A small square of colour and pattern for lists.
export function drawSwatch(canvas, j, colour, patterned) {
  const size = (canvas.width = canvas.height = 60);
  const context = canvas.getContext("2d");
  context.fillStyle = colour;
  context.fillRect(0, 0, size, size);
  if (!patterned) return;
  context.fillStyle = `rgb(${lighter(rgb(colour)).join(" ")})`;
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) if (onPattern(j, x, y, 14)) context.fillRect(x, y, 1, 1);
  }
}

// Dark through light, even in grey, after viridis: for eigenvectors.
const STOPS = ["#440154", "#3b528b", "#21918c", "#5ec962", "#fde725"].map(rgb);

export function mapColour(grey) {
  const at = (grey / 255) * (STOPS.length - 1);
  const low = Math.min(STOPS.length - 2, Math.floor(at));
  return STOPS[low].map((c, i) => c + (at - low) * (STOPS[low + 1][i] - c));
}
