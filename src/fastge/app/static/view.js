// What is seen of the image: zoom and position, layers, and the brush.

const LEAST_ZOOM = 0.02;
const MOST_ZOOM = 40;

export class View {
  constructor(canvas) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
    this.size = { width: 1, height: 1 };
    this.zoom = 1;
    this.left = this.top = 0;
    this.layers = {};
    this.options = { opacity: 0.5, lines: true, scribbles: true, badges: true, marks: true };
    this.badges = [];
    this.marks = [];
    this.brush = null;
    this.isFitted = true;
    new ResizeObserver(() => this.resize()).observe(canvas);
  }

  open(picture, size) {
    this.size = size;
    this.layers = { picture };
    this.badges = this.marks = [];
    this.fit();
  }

  resize() {
    const ratio = window.devicePixelRatio || 1;
    this.canvas.width = Math.max(1, Math.round(this.canvas.clientWidth * ratio));
    this.canvas.height = Math.max(1, Math.round(this.canvas.clientHeight * ratio));
    this.ratio = ratio;
    if (this.isFitted) this.fit();
    else this.paintNow();
  }

  fit() {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const margin = Math.min(24, width / 20);
    this.zoom = Math.min((width - 2 * margin) / this.size.width, (height - 2 * margin) / this.size.height);
    this.zoom = Math.max(this.zoom, 1e-4);
    this.left = (width - this.size.width * this.zoom) / 2;
    this.top = (height - this.size.height * this.zoom) / 2;
    this.isFitted = true;
    this.paintNow();
  }

  // About a point of the page's canvas, which stays where it is.
  zoomBy(factor, x = this.canvas.clientWidth / 2, y = this.canvas.clientHeight / 2) {
    const zoom = Math.min(MOST_ZOOM, Math.max(LEAST_ZOOM, this.zoom * factor));
    this.left = x - ((x - this.left) * zoom) / this.zoom;
    this.top = y - ((y - this.top) * zoom) / this.zoom;
    this.zoom = zoom;
    this.isFitted = false;
    this.paint();
  }

  moveBy(x, y) {
    this.left += x;
    this.top += y;
    this.isFitted = false;
    this.paint();
  }

  toImage(x, y) {
    return [(x - this.left) / this.zoom, (y - this.top) / this.zoom];
  }

  paint() {
    this.frame ??= requestAnimationFrame(() => this.paintNow());
  }

  paintNow() {
    cancelAnimationFrame(this.frame);
    this.frame = null;
    const { context, layers, options, ratio = 1 } = this;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, this.canvas.clientWidth, this.canvas.clientHeight);
    if (!layers.picture) return;
    this.layer(layers.background ?? layers.picture, 1);
    if (!layers.background) this.layer(layers.regions, options.opacity);
    if (options.lines) this.layer(layers.lines, 1);
    if (options.scribbles) this.layer(layers.scribbles, 0.95);
    if (options.marks) this.marks.forEach((mark) => this.drawMark(...mark));
    if (options.badges) this.badges.forEach((badge) => this.drawBadge(badge));
    if (this.brush) this.drawBrush(this.brush);
  }

  layer(picture, alpha) {
    if (!picture || alpha === 0) return;
    const { context, zoom } = this;
    context.globalAlpha = alpha;
    context.imageSmoothingEnabled = picture.width > this.size.width * zoom * 0.5;
    context.drawImage(picture, this.left, this.top, this.size.width * zoom, this.size.height * zoom);
    context.globalAlpha = 1;
  }

  place(x, y) {
    return [this.left + x * this.size.width * this.zoom, this.top + y * this.size.height * this.zoom];
  }

  drawBadge({ x, y, text, colour }) {
    const { context } = this;
    const [u, v] = this.place(x, y);
    context.beginPath();
    context.arc(u, v, 11, 0, 7);
    context.fillStyle = "#fff";
    context.fill();
    context.lineWidth = 3;
    context.strokeStyle = colour;
    context.stroke();
    context.fillStyle = "#1f2933";
    context.font = "600 12px system-ui, 'DejaVu Sans', sans-serif";
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.fillText(text, u, v + 0.5);
  }

  // A cross with a light edge where a painted pixel got another class.
  drawMark(x, y) {
    const { context } = this;
    const [u, v] = this.place(x, y);
    for (const [width, colour] of [[4.5, "#fff"], [2, "#c1121f"]]) {
      context.beginPath();
      context.moveTo(u - 4, v - 4);
      context.lineTo(u + 4, v + 4);
      context.moveTo(u + 4, v - 4);
      context.lineTo(u - 4, v + 4);
      context.lineWidth = width;
      context.strokeStyle = colour;
      context.stroke();
    }
  }

  drawBrush({ x, y, radius, colour, isDown }) {
    const { context } = this;
    const [u, v] = [this.left + x * this.zoom, this.top + y * this.zoom];
    for (const [width, ink] of [[3.5, "#fff"], [1.75, colour]]) {
      context.beginPath();
      context.arc(u, v, Math.max(2.5, radius * this.zoom), 0, 7);
      context.lineWidth = isDown ? width + 1 : width;
      context.strokeStyle = ink;
      context.stroke();
    }
  }
}
