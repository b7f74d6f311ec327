// A cropped copy of a picture of the library: the browser cuts it, and the library takes it as a new file.

import { _ } from "../texts.js";
import { ask } from "./dialogs.js";
import { labelled, make } from "./elements.js";
import { upload } from "./upload.js";

const EDGES = ["left", "top", "right", "bottom"];
const LEAST_PERCENT = 5;
const QUALITY = 0.92;
const SHAPES = [["", 0], ["1:1", 1], ["4:3", 4 / 3], ["3:2", 3 / 2], ["16:9", 16 / 9], ["3:4", 3 / 4]];

/** Return a picture that is loaded. */
function loaded(src) {
  return new Promise((resolve, reject) => {
    const image = make("img", { alt: "", draggable: false });
    image.addEventListener("load", () => resolve(image));
    image.addEventListener("error", () => reject(new Error(_("The picture cannot be read."))));
    image.src = src;
  });
}

/** The part of a picture that stays, in percent of its width and height: drawn with a pointer, or set edge by edge. */
class Frame {
  constructor(image) {
    this.image = image;
    this.edges = { left: 0, top: 0, right: 100, bottom: 100 };
    this.shade = make("div", { className: "crop-frame" });
    this.area = make("div", { className: "crop" }, image, this.shade);
    const names = { left: _("Left edge, %"), top: _("Upper edge, %"), right: _("Right edge, %"), bottom: _("Lower edge, %") };
    this.ranges = EDGES.map((edge) => {
      const range = make("input", { type: "range", min: 0, max: 100, step: 1 });
      range.addEventListener("input", () => this.set({ [edge]: Number(range.value) }, edge));
      return [edge, range, labelled(names[edge], range)];
    });
    this.shape = make("select", {}, ...SHAPES.map(([name, ratio]) => make("option", { value: ratio }, name || _("Any shape"))));
    this.shape.addEventListener("change", () => this.set({}));
    this.area.addEventListener("pointerdown", (event) => this.draw(event));
    this.set({});
  }

  /** Set edges. A part with a shape is moved by its left and upper edge; no part is smaller than LEAST_PERCENT. */
  set(edges, moved = "") {
    const next = { ...this.edges, ...edges };
    const ratio = Number(this.shape.value);
    for (const [start, end] of [["left", "right"], ["top", "bottom"]]) {
      const size = this.edges[end] - this.edges[start];
      if (ratio && moved === start) {
        next[start] = Math.min(next[start], 100 - size);
        next[end] = next[start] + size;
      } else if (next[end] - next[start] < LEAST_PERCENT) {
        if (moved === start) next[start] = Math.max(0, next[end] - LEAST_PERCENT);
        next[end] = Math.min(100, Math.max(next[end], next[start] + LEAST_PERCENT));
        next[start] = Math.min(next[start], next[end] - LEAST_PERCENT);
      }
    }
    if (ratio) {
      // Percents of the height for one of the width.
      const slope = this.image.naturalWidth / (ratio * this.image.naturalHeight);
      const width = moved === "bottom" ? (next.bottom - next.top) / slope : next.right - next.left;
      const fitting = Math.min(width, 100 - next.left, (100 - next.top) / slope);
      next.right = next.left + fitting;
      next.bottom = next.top + fitting * slope;
    }
    this.edges = next;
    for (const [edge, range] of this.ranges) range.value = next[edge];
    const { left, top, right, bottom } = next;
    Object.assign(this.shade.style, { left: `${left}%`, top: `${top}%`, width: `${right - left}%`, height: `${bottom - top}%` });
  }

  draw(event) {
    event.preventDefault();
    const { left, top, width, height } = this.image.getBoundingClientRect();
    const percent = ({ clientX, clientY }) => [(clientX - left) / width, (clientY - top) / height].map((part) => Math.min(100, Math.max(0, 100 * part)));
    const [x, y] = percent(event);
    const move = (each) => {
      const [toX, toY] = percent(each);
      this.set({ left: Math.min(x, toX), top: Math.min(y, toY), right: Math.max(x, toX), bottom: Math.max(y, toY) });
    };
    this.area.setPointerCapture(event.pointerId);
    this.area.addEventListener("pointermove", move);
    this.area.addEventListener("pointerup", () => this.area.removeEventListener("pointermove", move), { once: true });
  }

  /** Return the part as a file. */
  async cut(name) {
    const { naturalWidth, naturalHeight } = this.image;
    const { left, top, right, bottom } = this.edges;
    const [x, y] = [(naturalWidth * left) / 100, (naturalHeight * top) / 100].map(Math.round);
    const [width, height] = [(naturalWidth * (right - left)) / 100, (naturalHeight * (bottom - top)) / 100].map((size) => Math.max(1, Math.round(size)));
    const canvas = make("canvas", { width, height });
    canvas.getContext("2d").drawImage(this.image, x, y, width, height, 0, 0, width, height);
    const type = /\.jpe?g$/i.test(name) ? "image/jpeg" : /\.webp$/i.test(name) ? "image/webp" : "image/png";
    const blob = await new Promise((resolve) => canvas.toBlob(resolve, type, QUALITY));
    if (!blob) throw new Error(_("The picture cannot be cut here."));
    return new File([blob], name.replace(/\.\w+$/, `-cropped.${type.slice(6).replace("jpeg", "jpg")}`), { type });
  }
}

/** Ask which part of a picture stays, and return it as a new file of the library; null if it was cancelled. */
export async function askCrop({ address, name, form }) {
  const frame = new Frame(await loaded(address));
  const state = make("p", { className: "meta", role: "status" });
  const fields = [frame.area, labelled(_("Shape"), frame.shape), make("div", { className: "crop-edges" }, ...frame.ranges.map(([, , field]) => field)), state];
  return ask(_("Crop a copy of the picture"), fields, [["use", _("Use this part")]], async () => {
    state.textContent = _("Cutting and uploading…");
    try {
      return await upload(await frame.cut(name || address.split("/").at(-1)), form);
    } catch (error) {
      state.textContent = error.message;
      return undefined;
    }
  }, "wide");
}
