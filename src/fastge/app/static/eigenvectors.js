// Eigenvectors in place of the image.

import { mapColour } from "./palette.js";

// A grey picture in the colours of a map.
export async function coloured(blob) {
  const grey = await createImageBitmap(blob, { colorSpaceConversion: "none" });
  const canvas = new OffscreenCanvas(grey.width, grey.height);
  const context = canvas.getContext("2d");
  context.drawImage(grey, 0, 0);
  const image = context.getImageData(0, 0, grey.width, grey.height);
  const table = Array.from({ length: 256 }, (_, value) => mapColour(value));
  for (let i = 0; i < image.data.length; i += 4) image.data.set(table[image.data[i]], i);
  context.putImageData(image, 0, 0);
  return canvas;
}
