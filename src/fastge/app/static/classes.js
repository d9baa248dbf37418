// The list of classes: choose, rename, recolour, add, remove.

import { COLOURS, colourOf, drawSwatch, nameOf } from "./palette.js";

const MOST = 24;

export class ClassList {
  // `changed(classes)` is told what the person wants; `chosen(j)` what is painted with.
  constructor(list, adder, { changed, chosen }) {
    Object.assign(this, { list, adder, changed, tellChosen: chosen });
    this.classes = [];
    this.sizes = {};
    this.chosen = 0;
    this.patterned = true;
    adder.addEventListener("click", () => this.add());
  }

  // What the server has; whether it is shown. News that crossed a change made here is old.
  set(classes, isSettled) {
    const same = JSON.stringify(classes) === JSON.stringify(this.classes);
    if (same) this.isAhead = false;
    else if (this.isAhead && !isSettled) return false;
    else {
      this.isAhead = false;
      this.classes = classes;
      this.chosen = Math.min(this.chosen, classes.length - 1);
      this.build();
    }
    return true;
  }

  choose(j) {
    if (j < 0 || j >= this.classes.length) return;
    this.chosen = j;
    [...this.list.children].forEach((row, i) => {
      row.classList.toggle("chosen", i === j);
      const radio = row.querySelector("input[type=radio]");
      if (radio) radio.checked = i === j;
    });
    this.list.children[j]?.scrollIntoView({ block: "nearest", inline: "nearest" });
    this.tellChosen(j);
  }

  add() {
    if (this.classes.length >= MOST) return;
    const j = this.classes.length;
    this.change([...this.classes, { name: `Class ${j + 1}`, colour: COLOURS[j % COLOURS.length] }]);
    this.choose(j);
  }

  remove() {
    this.change(this.classes.slice(0, -1));
  }

  change(classes) {
    this.classes = classes;
    this.chosen = Math.min(this.chosen, classes.length - 1);
    this.isAhead = true;
    this.build();
    this.changed(classes);
  }

  // In place, so that the focus stays where it is.
  alter(j, what) {
    this.classes = this.classes.map((c, i) => (i === j ? { ...c, ...what } : c));
    this.isAhead = true;
    this.changed(this.classes);
  }

  // Shares of the image; classes that were discovered are listed, too.
  setSizes(sizes) {
    const found = Object.keys(sizes).map(Number).filter((j) => j >= this.classes.length).join();
    this.sizes = sizes;
    if (found !== this.found) this.build();
    this.found = found;
    this.showShares();
  }

  showShares() {
    const { sizes } = this;
    const total = Object.values(sizes).reduce((sum, size) => sum + size, 0);
    for (const row of this.list.children) {
      const share = (100 * (sizes[row.dataset.kind] ?? 0)) / total;
      const cell = row.querySelector(".share");
      const isKnown = total && row.dataset.kind in sizes;
      cell.textContent = !isKnown ? "" : share < 10 ? `${share.toFixed(1)} %` : `${Math.round(share)} %`;
      cell.title = isKnown ? `${sizes[row.dataset.kind].toLocaleString("en")} pixels` : "";
    }
  }

  build() {
    const found = Object.keys(this.sizes).map(Number).filter((j) => j >= this.classes.length);
    const rows = [...this.classes.keys(), ...found].map((j) => this.row(j));
    this.list.replaceChildren(...rows);
    this.adder.disabled = this.classes.length >= MOST;
    this.showShares();
    this.choose(this.chosen);
  }

  row(j) {
    const isOwn = j < this.classes.length;
    const row = document.createElement("li");
    row.dataset.kind = j;
    const pick = document.createElement("label");
    pick.className = "pick";
    const swatch = document.createElement("canvas");
    drawSwatch(swatch, j, colourOf(this.classes, j), this.patterned);
    const number = document.createElement("b");
    number.textContent = j + 1;
    const share = document.createElement("span");
    share.className = "share";
    if (!isOwn) {
      const name = document.createElement("span");
      name.textContent = nameOf(this.classes, j);
      pick.append(swatch, number);
      row.append(pick, name, share);
      return row;
    }
    const radio = Object.assign(document.createElement("input"), {
      type: "radio", name: "class", checked: j === this.chosen,
    });
    radio.setAttribute("aria-label", `Paint ${this.classes[j].name}`);
    radio.title = j < 9 ? `Key ${j + 1}` : "";
    radio.addEventListener("change", () => this.choose(j));
    pick.append(radio, swatch, number);
    row.append(pick, this.nameField(j), share, this.colourField(j, swatch));
    if (j > 1 && j === this.classes.length - 1) row.append(this.remover(j));
    return row;
  }

  remover(j) {
    const button = Object.assign(document.createElement("button"), {
      type: "button", className: "remove", textContent: "×", title: "Remove this class",
    });
    button.setAttribute("aria-label", `Remove ${this.classes[j].name}`);
    button.addEventListener("click", () => this.remove());
    return button;
  }

  nameField(j) {
    const field = Object.assign(document.createElement("input"), {
      type: "text", className: "name", maxLength: 40, value: this.classes[j].name,
    });
    field.setAttribute("aria-label", `Name of class ${j + 1}`);
    field.addEventListener("click", () => this.choose(j));
    field.addEventListener("change", () => {
      const name = field.value.trim() || `Class ${j + 1}`;
      field.value = name;
      this.alter(j, { name });
    });
    field.addEventListener("keydown", (event) => event.key === "Enter" && field.blur());
    return field;
  }

  colourField(j, swatch) {
    const field = Object.assign(document.createElement("input"), {
      type: "color", value: this.classes[j].colour,
    });
    field.setAttribute("aria-label", `Colour of ${this.classes[j].name}`);
    field.addEventListener("change", () => {
      this.alter(j, { colour: field.value });
      drawSwatch(swatch, j, field.value, this.patterned);
    });
    return field;
  }
}
